"""One program for many shapes.

A program whose inputs keep changing in size would be compiled for every size. Here it is compiled for a few
*capacities* instead: inputs are padded to the capacity, true sizes are inputs of the program, and what mixes along a
padded axis leaves the padding out, so results are those of the true size.

- `skeleton` splits a program into what it does and the sizes in it. Programs with the same skeleton are a family.
- `family` learns from the sizes that were seen which of them follow from which.
- `expression` has sizes as polynomials of symbols.
- `padding` evaluates a program, traced once for symbolic sizes, on padded arrays; `rules_*` say how, for each JAX
  primitive. One that is not known there makes the family be compiled for every size, as before.
- `bucketed` pads arguments, calls the program, and cuts results.

Nothing here runs user code, and nothing depends on time: which program runs depends on the sizes seen before.
"""
