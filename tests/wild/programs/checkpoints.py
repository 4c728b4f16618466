"""Training checkpoints: manager, restore on the next run, deferred and partial restore."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.l1 = tf.keras.layers.Dense(5)

    def call(self, x):
        return self.l1(x)


def toy_dataset():
    inputs = tf.range(10.0)[:, None]
    labels = inputs * 5.0 + tf.range(5.0)[None, :]
    return tf.data.Dataset.from_tensor_slices(dict(x=inputs, y=labels)).repeat().batch(2)


def train_step(net, example, optimizer):
    with tf.GradientTape() as tape:
        output = net(example["x"])
        loss = tf.reduce_mean(tf.abs(output - example["y"]))
    variables = net.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


def train_and_checkpoint(steps):
    opt, net = tf.keras.optimizers.Adam(0.1), Net()
    iterator = iter(toy_dataset())
    ckpt = tf.train.Checkpoint(step=tf.Variable(1), optimizer=opt, net=net, iterator=iterator)
    manager = tf.train.CheckpointManager(ckpt, os.path.join(folder, "tf_ckpts"), max_to_keep=3)
    ckpt.restore(manager.latest_checkpoint)
    print(
        "Restored from" if manager.latest_checkpoint else "Initializing from scratch.",
        manager.latest_checkpoint,
    )
    for _ in range(steps):
        example = next(iterator)
        loss = train_step(net, example, opt)
        ckpt.step.assign_add(1)
        if int(ckpt.step) % 10 == 0:
            save_path = manager.save()
            print(
                f"Saved checkpoint for step {int(ckpt.step)}: {os.path.basename(save_path)}, loss {loss.numpy():.2f}"
            )
    return net, int(ckpt.step), manager


_, step, manager = train_and_checkpoint(50)
assert step == 51 and len(manager.checkpoints) == 3
assert os.path.basename(manager.latest_checkpoint) == "ckpt-5"
net, step, manager = train_and_checkpoint(20)
assert step == 70  # goes on from the checkpoint at 50
assert [os.path.basename(p) for p in manager.checkpoints] == ["ckpt-5", "ckpt-6", "ckpt-7"]

to_restore = tf.Variable(tf.zeros([5]))
fake_layer = tf.train.Checkpoint(bias=to_restore)
fake_net = tf.train.Checkpoint(l1=fake_layer)
new_root = tf.train.Checkpoint(net=fake_net)
status = new_root.restore(tf.train.latest_checkpoint(os.path.join(folder, "tf_ckpts")))
np.testing.assert_array_equal(to_restore, net.l1.bias)
status.assert_existing_objects_matched()

late = tf.Variable(tf.zeros([1, 5]))
fake_layer.kernel = late  # restored now that it exists
np.testing.assert_array_equal(late, net.l1.kernel)

names = [name for name, shape in tf.train.list_variables(manager.latest_checkpoint)]
assert any("kernel" in name for name in names)

save = tf.train.Checkpoint()
save.listed = [tf.Variable(1.0)]
save.listed.append(tf.Variable(2.0))
save.mapped = {"one": save.listed[0]}
save.mapped["two"] = save.listed[1]
path = save.save(os.path.join(folder, "tf_list_example"))
restore = tf.train.Checkpoint()
v2 = tf.Variable(0.0)
restore.mapped = {"two": v2}
restore.restore(path)
assert v2.numpy() == 2.0
print("done")
