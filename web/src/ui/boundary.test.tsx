import { render } from "preact";
import { expect, it } from "vitest";
import { Boundary } from "./boundary";

it("shows what stands in for a part that fails, and the part again once it can be shown", async () => {
  const host = document.createElement("div");
  let isBroken = true;
  const Part = () => {
    if (isBroken) throw new Error("no such number");
    return <p>part</p>;
  };
  render(
    <>
      <p>before</p>
      <Boundary
        fallback={(error, retry) => (
          <button type="button" onClick={retry}>
            {error.message}
          </button>
        )}
      >
        <Part />
      </Boundary>
      <p>after</p>
    </>,
    host,
  );
  await expect.poll(() => host.textContent).toBe("beforeno such numberafter");
  isBroken = false;
  host.querySelector("button")?.click();
  await expect.poll(() => host.textContent).toBe("beforepartafter");
});
