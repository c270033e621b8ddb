import { commands, window, workspace, type ExtensionContext } from "vscode";
import { LanguageClient, type ServerOptions } from "vscode-languageclient/node";

const NAME = "nnx-migrate";
let client: LanguageClient | undefined;

/** Start the server that the settings name; say what to do where there is none. */
async function start(): Promise<void> {
  const command = workspace.getConfiguration(NAME).get<string[]>("command", []);
  const [program, ...args] = command;
  if (program === undefined) {
    void window.showErrorMessage(`${NAME}.command is empty: name what starts the server.`);
    return;
  }
  const server: ServerOptions = { command: program, args };
  client = new LanguageClient(NAME, NAME, server, {
    documentSelector: [{ scheme: "file", language: "python" }],
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void window.showErrorMessage(
      `${program} does not start (${String(error)}). Install it with ` +
        `pip install 'nnx-migrate[editor]', or name it in ${NAME}.command.`,
    );
  }
}

async function stop(): Promise<void> {
  await client?.stop();
  client = undefined;
}

export async function activate(context: ExtensionContext): Promise<void> {
  const restart = async (): Promise<void> => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    commands.registerCommand("nnx-migrate.restart", restart),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration(`${NAME}.command`)) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
