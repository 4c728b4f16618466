"""What the contenders run. Nothing here imports TapeFlow or a peer until it is asked to."""
