/** The controls all panels use. Each has a keyboard path, a visible focus and a tip that says what it does. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { messages } from "../i18n/messages";
import { isPattern } from "../state/order";
import "./controls.css";
import { Icon, type IconName } from "./icon";
import { withCode } from "./with_code";

const t = messages({
  clear: ["Clear", "清除"],
  plain: ["Not a regular expression yet: looked for as plain text", "尚非有效正则表达式:按普通文本查找"],
});

interface IconButtonProps {
  icon: IconName;
  tip: string;
  onClick: (event: MouseEvent) => void;
  isPressed?: boolean;
  class?: string;
}

export function IconButton({ icon, tip, onClick, isPressed, class: extra = "" }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={tip}
      aria-pressed={isPressed}
      data-tip={tip}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

interface ToggleProps {
  label: string;
  tip: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** A button that stays down: a short word that is on or off. */
export function Toggle({ label, tip, isOn, onChange }: ToggleProps) {
  return (
    <button type="button" class="toggle" aria-pressed={isOn} data-tip={tip} onClick={() => onChange(!isOn)}>
      {label}
    </button>
  );
}

interface CheckProps extends ToggleProps {}

/** A check box with its words, for menus. */
export function Check({ label, tip, isOn, onChange }: CheckProps) {
  return (
    <label class="check" data-tip={tip}>
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

interface SegmentedProps<T extends string> {
  label: string;
  tip: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
}

export function Segmented<T extends string>({ label, tip, value, options, onChange }: SegmentedProps<T>) {
  const name = useId();
  return (
    <fieldset class="segmented" data-tip={tip}>
      <legend class="visually-hidden">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} class={option === value ? "is-on" : ""}>
          <input
            type="radio"
            class="visually-hidden"
            name={name}
            checked={option === value}
            onChange={() => onChange(option)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

interface SelectProps {
  label: string;
  tip: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}

export function Select({ label, tip, value, options, onChange }: SelectProps) {
  return (
    <label class="select" data-tip={tip}>
      <span class="field-label">{label}</span>
      <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SliderProps {
  label: string;
  tip: string;
  value: number;
  min: number;
  max: number;
  step: number;
  text: string;
  isLabelHidden?: boolean;
  onChange: (value: number) => void;
}

export function Slider({ label, tip, value, min, max, step, text, isLabelHidden, onChange }: SliderProps) {
  return (
    <label class="slider" data-tip={tip}>
      <span class={isLabelHidden ? "visually-hidden" : "field-label"}>{label}</span>
      <input
        type="range"
        value={value}
        min={min}
        max={max}
        step={step}
        aria-label={label}
        aria-valuetext={text}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
      <output>{text}</output>
    </label>
  );
}

interface SearchProps {
  label: string;
  tip: string;
  value: string;
  onChange: (value: string) => void;
  /** The key that takes the user here, shown in the field. */
  shortcut?: string;
}

/** A field for a regular expression. */
export function Search({ label, tip, value, onChange, shortcut }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  const isPlain = !isPattern(value);
  return (
    <div class={`search ${isPlain ? "is-plain" : ""}`} data-tip={isPlain ? t("plain") : tip}>
      <Icon name="search" />
      <input
        ref={field}
        type="text"
        value={value}
        placeholder={label}
        aria-label={label}
        spellcheck={false}
        autocomplete="off"
        data-shortcut={shortcut}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onChange("");
        }}
      />
      {value ? (
        <IconButton
          icon="close"
          tip={t("clear")}
          onClick={() => {
            onChange("");
            field.current?.focus();
          }}
        />
      ) : (
        shortcut && <kbd>{shortcut}</kbd>
      )}
    </div>
  );
}

interface MenuProps {
  tip: string;
  icon?: IconName;
  text?: string;
  isPressed?: boolean;
  class?: string;
  /** Called with a function that closes the menu. */
  children: (close: () => void) => ComponentChildren;
}

const EDGE = 8;

/** A button that opens a small sheet below it. Escape, a click elsewhere or leaving it by Tab closes it. */
export function Menu({ tip, icon, text, isPressed, class: extra = "", children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const close = () => setOpen(false);
  useEffect(() => {
    if (!isOpen || !sheet.current || !button.current) return;
    // In the browser's top layer: above everything, whatever the button lies in.
    sheet.current.showPopover();
    place(sheet.current, button.current.getBoundingClientRect());
    sheet.current.querySelector<HTMLElement>("button, input, select, textarea, a")?.focus();
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!sheet.current?.contains(target) && !button.current?.contains(target)) close();
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("focusin", outside);
    };
  }, [isOpen]);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`${text ? "text-button" : "icon-button"} ${extra}`}
        aria-label={text ? undefined : tip}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-pressed={isPressed || undefined}
        data-tip={tip}
        onClick={(event) => {
          event.stopPropagation();
          setOpen(!isOpen);
        }}
      >
        {icon && <Icon name={icon} />}
        {text}
      </button>
      {isOpen && (
        <div
          ref={sheet}
          class="sheet"
          popover="manual"
          role="dialog"
          aria-label={tip}
          onClick={(event) => event.stopPropagation()}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              event.stopPropagation();
              close();
              button.current?.focus();
            } else if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
          }}
        >
          {children(() => {
            close();
            button.current?.focus();
          })}
        </div>
      )}
    </>
  );
}

function place(sheet: HTMLElement, anchor: DOMRect): void {
  const { width, height } = sheet.getBoundingClientRect();
  const left = Math.max(EDGE, Math.min(anchor.left, innerWidth - width - EDGE));
  const below = anchor.bottom + 4;
  const top = below + height + EDGE > innerHeight ? Math.max(EDGE, anchor.top - height - 4) : below;
  sheet.style.left = `${left}px`;
  sheet.style.top = `${top}px`;
}

/** Arrow keys walk through the buttons of a menu. */
function step(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.tagName !== "BUTTON") return;
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("button")];
  const next = all[all.indexOf(target) + (event.key === "ArrowDown" ? 1 : -1)];
  next?.focus();
  event.preventDefault();
}

interface ItemProps {
  icon?: IconName;
  children: ComponentChildren;
  tip: string;
  onClick: () => void;
}

/** One thing to do in a menu. */
export function Item({ icon, children, tip, onClick }: ItemProps) {
  return (
    <button type="button" class="item" data-tip={tip} onClick={onClick}>
      {icon ? <Icon name={icon} /> : <span class="icon" />}
      {children}
    </button>
  );
}

interface StateProps {
  title: string;
  children?: ComponentChildren;
  isBusy?: boolean;
}

/** Says why there is nothing to see: empty, still loading, or broken. */
export function Notice({ title, children, isBusy }: StateProps) {
  return (
    <div class="notice" role="status" aria-busy={isBusy}>
      {isBusy && <span class="spinner" />}
      <p class="notice-title">{title}</p>
      {children && (
        <div class="notice-text">
          {typeof children === "string" ? withCode(sentence(children)) : children}
        </div>
      )}
    </div>
  );
}

/** With a capital where it begins with a word; a path stays as it is. */
function sentence(text: string): string {
  return text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
}
