"""What a call leaves sown on an object: nothing, what is put back behind it, what lay there."""
