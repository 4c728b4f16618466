/** Shows the words of `data-tip` beside what the pointer or the focus rests on. */

const DELAY_MS = 450;

export function watchTips(): void {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let owner: Element | null = null;
  // A menu that was clicked open gives the focus to its first control: nobody has asked what that does.
  let isByKey = false;

  const hide = () => {
    clearTimeout(timer);
    owner = null;
    tip.hidden = true;
  };
  const show = (target: HTMLElement) => {
    tip.textContent = target.dataset.tip ?? "";
    if (!target.isConnected || !tip.textContent) return;
    // An open dialog or menu is above everything outside it.
    (target.closest("dialog, [popover]") ?? document.body).append(tip);
    tip.hidden = false;
    const anchor = target.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const left = anchor.left + anchor.width / 2 - width / 2;
    const top = anchor.bottom + 6;
    tip.style.left = `${Math.max(6, Math.min(left, innerWidth - width - 6))}px`;
    tip.style.top = `${top + height > innerHeight - 6 ? anchor.top - height - 6 : top}px`;
  };
  const consider = (event: Event) => {
    const target = (event.target as Element | null)?.closest?.<HTMLElement>("[data-tip]") ?? null;
    if (target === owner) return;
    hide();
    owner = target;
    const isMeant =
      event.type === "mouseover" || (isByKey && (event.target as Element).matches(":focus-visible"));
    if (target && isMeant) timer = setTimeout(() => show(target), DELAY_MS);
  };
  document.addEventListener("pointerdown", () => (isByKey = false), true);
  document.addEventListener("keydown", () => (isByKey = true), true);
  document.addEventListener("mouseover", consider);
  document.addEventListener("focusin", consider);
  for (const event of ["pointerdown", "keydown", "scroll", "wheel"])
    document.addEventListener(event, hide, true);
}
