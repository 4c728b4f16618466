"""The functional API's graph: symbolic tensors, the calls that connect them, and their shapes.

`KerasTensor` stands for a tensor of a model that is being defined. Calling a layer or a tf function on
one makes a `CallNode`, whose results are KerasTensors again; a model is what lies between some of them.
`inference` finds shapes by sketching a call at two sizes. Ragged and sparse tensors have symbols
(`composite_tensor`) and stand-ins in a sketch (`composite_sample`) of their own. Running a graph is
`keras.models.functional`'s.
"""
