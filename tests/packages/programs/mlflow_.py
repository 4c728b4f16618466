"""Tracking a training and keeping the model, as in the guide of mlflow."""

import os

os.environ["MLFLOW_TRACKING_URI"] = "sqlite:///runs.db"

import mlflow  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

rng = np.random.default_rng(0)
x, y = rng.normal(size=(32, 4)).astype("float32"), rng.normal(size=(32, 1)).astype("float32")
mlflow.tensorflow.autolog(log_models=False, log_datasets=False)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.set_weights([np.ones((4, 1)), np.zeros(1)])
model.compile(tf.keras.optimizers.SGD(0.05), "mse", metrics=["mae"])
with mlflow.start_run() as run:
    history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0).history
client = mlflow.MlflowClient()
logged = [m.value for m in client.get_metric_history(run.info.run_id, "loss")]
np.testing.assert_allclose(logged, history["loss"], rtol=1e-6)
params = client.get_run(run.info.run_id).data.params
assert params["epochs"] == "3" and params["opt_name"] == "SGD", params
mlflow.tensorflow.autolog(disable=True)
with mlflow.start_run() as run:
    callback = mlflow.tensorflow.MlflowCallback(run)
    model.fit(x, y, epochs=2, verbose=0, callbacks=[callback])
    info = mlflow.tensorflow.log_model(model, artifact_path="model")
loaded = mlflow.tensorflow.load_model(info.model_uri)
np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-5)
scored = mlflow.pyfunc.load_model(info.model_uri).predict(x)
np.testing.assert_allclose(scored, model.predict(x, verbose=0), rtol=1e-5)
print("result", {"loss": logged})
