/** A sheet over the whole page, closed by Escape. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "./dialog.css";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  class?: string;
}

export function Sheet({ title, onClose, children, class: extra = "" }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    // Not its first button, which would light up though nobody went there.
    element.focus();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      tabIndex={-1}
      class={`full-sheet ${extra}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}
