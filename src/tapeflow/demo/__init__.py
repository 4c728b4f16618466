"""`tapeflow demo`: a training to look at on the board, from the digits that come with TapeFlow.

`training` trains a small convolutional network and logs it with everything the board has a panel for; `pictures` is
the callback that logs what no curve shows. `search` tries hyperparameters at random, each trial a run. `panels` asks
a running board whether it shows all that. All but the last is written with public names only, as a user would.
"""
