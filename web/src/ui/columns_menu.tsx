/** A menu that says which columns of a table are shown, by a search among all there are. */

import { useState } from "preact/hooks";
import { messages } from "../i18n/messages";
import { pattern } from "../state/order";
import { Check, Item, Menu, Search } from "./controls";

const t = messages({
  columns: ["Columns", "列"],
  search: ["Search columns", "搜索列"],
  searchTip: ["Regular expression on the names of columns", "按列名的正则表达式"],
  showAll: ["Show all", "全部显示"],
  showNone: ["Hide all", "全部隐藏"],
  showAllTip: ["Show all columns that the search finds", "显示搜索到的全部列"],
  showNoneTip: ["Hide all columns that the search finds", "隐藏搜索到的全部列"],
  reset: ["Reset", "恢复默认"],
  resetTip: ["Show the usual columns in their usual order", "显示默认的列与顺序"],
  more: ["{n} more: search for them", "另有 {n} 列:请搜索"],
});

export interface Choice {
  key: string;
  title: string;
  tip: string;
  isShown: boolean;
  /** The heading it stands under. */
  section: string;
}

interface Props {
  tip: string;
  choices: readonly Choice[];
  /** Whether other columns are shown than usual. */
  isChanged: boolean;
  /** Shows those of these columns that are not shown, and hides the others. */
  onToggle: (keys: readonly string[]) => void;
  onReset: () => void;
}

const MOST_LISTED = 60;

export function ColumnsMenu({ tip, choices, isChanged, onToggle, onReset }: Props) {
  const [text, setText] = useState("");
  const wanted = pattern(text);
  const found = choices.filter(({ title }) => !wanted || wanted.test(title));
  const listed = found.slice(0, MOST_LISTED);
  const sections = [...new Set(listed.map(({ section }) => section))];
  const toggleTo = (isOn: boolean) =>
    onToggle(found.filter(({ isShown }) => isShown !== isOn).map(({ key }) => key));
  return (
    <Menu text={t("columns")} tip={tip} isPressed={isChanged}>
      {() => (
        <>
          <Search label={t("search")} tip={t("searchTip")} value={text} onChange={setText} />
          <div class="sheet-items">
            <Item tip={t("showAllTip")} onClick={() => toggleTo(true)}>
              {t("showAll")}
            </Item>
            <Item tip={t("showNoneTip")} onClick={() => toggleTo(false)}>
              {t("showNone")}
            </Item>
            <Item tip={t("resetTip")} onClick={onReset}>
              {t("reset")}
            </Item>
          </div>
          <div class="sheet-list">
            {sections.map((section) => (
              <div key={section} role="group" aria-label={section}>
                <p class="sheet-title">{section}</p>
                {listed
                  .filter((choice) => choice.section === section)
                  .map((choice) => (
                    <Check
                      key={choice.key}
                      label={choice.title}
                      tip={choice.tip}
                      isOn={choice.isShown}
                      onChange={() => onToggle([choice.key])}
                    />
                  ))}
              </div>
            ))}
          </div>
          {found.length > listed.length && (
            <p class="sheet-title">{t("more", { n: found.length - listed.length })}</p>
          )}
        </>
      )}
    </Menu>
  );
}
