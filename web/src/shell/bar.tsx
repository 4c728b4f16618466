/** The bar at the top: panels, how the connection is, language and theme. */

import { useEffect, useRef, useState } from "preact/hooks";
import { firstPanel, fullPanels, panels } from "../panels/registry";
import { locale, localeChoice, theme, themeChoice } from "../state/appearance";
import { connection, info, progress } from "../state/board";
import { hasDamage, progressMessage } from "../state/notes";
import { panel } from "../state/url";
import { IconButton, Item, Menu } from "../ui/controls";
import { showsHelp, showsRuns, toggleRuns } from "./shortcuts";
import { t } from "./words";

export function Bar() {
  const isDark = theme.value === "dark";
  return (
    <header class="bar">
      <IconButton icon="sidebar" tip={t("sidebar")} isPressed={showsRuns.value} onClick={toggleRuns} />
      <h1 class="brand" data-tip={info.value?.logdirs.map((logdir) => logdir.path).join(" · ")}>
        {info.value?.title || "TapeFlow"}
      </h1>
      <Tabs />
      <Status />
      <button
        type="button"
        class="text-button"
        lang={locale.value === "zh" ? "en" : "zh"}
        data-tip={t("languageTip")}
        onClick={() => (localeChoice.value = locale.value === "zh" ? "en" : "zh")}
      >
        {t("language")}
      </button>
      <IconButton
        icon={isDark ? "sun" : "moon"}
        tip={isDark ? t("light") : t("dark")}
        onClick={() => (themeChoice.value = isDark ? "light" : "dark")}
      />
      <IconButton icon="help" tip={t("help")} onClick={() => (showsHelp.value = true)} />
    </header>
  );
}

const MENU_PX = 32;

function Tabs() {
  const full = fullPanels.value;
  const first = firstPanel.value;
  const shown = panels.value.filter((one) => one === first || one.id === panel.value || full.includes(one));
  const active = panel.value || first?.id;
  const bar = useRef<HTMLElement>(null);
  const [isScrolled, setScrolled] = useState(false);
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active, shown.length, isCut]);
  useEffect(() => {
    const { current } = bar;
    if (!current) return;
    // The menu takes room itself, which would be there without it.
    const look = () => setCut((was) => current.scrollWidth > current.clientWidth + (was ? MENU_PX : 0));
    const observer = new ResizeObserver(look);
    observer.observe(current);
    look();
    return () => observer.disconnect();
  }, [shown.length, locale.value]);
  return (
    <>
      <nav
        class={isScrolled ? "tabs is-scrolled" : "tabs"}
        aria-label={t("panels")}
        ref={bar}
        onScroll={(event) => setScrolled(event.currentTarget.scrollLeft > 0)}
        onWheel={(event) => {
          event.currentTarget.scrollLeft += event.deltaY;
        }}
      >
        {shown.map(({ id, title }) => (
          <a
            key={id}
            href={`#${id}`}
            class="tab"
            aria-current={id === active ? "page" : undefined}
            data-tip={t("panelTip", { title: title() })}
            onClick={(event) => {
              // The other settings in the address stay; a new tab gets the plain link.
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              panel.value = id;
            }}
          >
            {title()}
          </a>
        ))}
      </nav>
      {isCut && (
        <Menu text={t("morePanels")} tip={t("allPanels")} class="tabs-more">
          {(close) =>
            shown.map(({ id, title }) => (
              <Item
                key={id}
                icon={id === active ? "check" : undefined}
                tip={t("panelTip", { title: title() })}
                onClick={() => {
                  panel.value = id;
                  close();
                }}
              >
                {title()}
              </Item>
            ))
          }
        </Menu>
      )}
    </>
  );
}

function Status() {
  const state = connection.value;
  const message = progressMessage.value;
  const isReading = progress.value !== null && !progress.value.is_done;
  const tip =
    state === "live" ? t("liveTip", { message }) : state === "connecting" ? message : t(`${state}Tip`);
  const share = progress.value ? progress.value.bytes_read / Math.max(1, progress.value.bytes_total) : 0;
  const hasBad = hasDamage.value;
  return (
    <div class={`status is-${state} ${hasBad ? "has-bad" : ""}`} role="status" data-tip={tip}>
      {isReading && <progress class="status-progress" value={share} aria-label={message} />}
      <span class="status-mark" />
      <span class="status-text">{state !== "live" || !(isReading || hasBad) ? t(state) : message}</span>
    </div>
  );
}
