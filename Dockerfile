# `nnx-migrate batch` as a job of a cluster or of CI; docs/batch.md shows how it is run.
FROM python:3.13-slim AS wheel
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY nnx_migrate nnx_migrate
COPY codemods codemods
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
# Extras of the package; `batch,ray` for a cluster, `all` for `--verify`.
ARG EXTRAS=batch
# Git says what the review page links to. Debian keeps one version of it, so there is none to pin.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[$EXTRAS]" \
    && mkdir --mode=1777 /state
# What `undo` needs is kept there, whoever runs it; a volume keeps it for the next container.
ENV HOME=/state
# Files are written as the user who owns the tree: give --user. Nothing needs root.
USER 1000:1000
WORKDIR /project
ENTRYPOINT ["nnx-migrate"]
CMD ["--help"]
