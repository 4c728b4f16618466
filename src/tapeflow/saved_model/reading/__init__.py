"""SavedModels that TensorFlow wrote: `saved_model.pb`, `variables/`, `assets/`, and `keras_metadata.pb`.

`folder` opens one and checks it, `structure` reads how arguments and results nest, `concrete` and `functions` are
its functions, `objects` the graph of objects with its Variables and tables, `checkpoint` their values, and
`sessions` the kind without objects, of TensorFlow 1. What the functions compute is `interpreter`'s business.
"""
