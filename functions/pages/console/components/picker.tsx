import { type KeyboardEvent, useRef, useState } from 'react';
import { Field, type Option } from './fields.tsx';

type PickerProps = {
  label: string;
  name?: string;
  options: Option[];
  value: string;
  placeholder?: string | undefined;
  note?: string;
  /** Any text is a value. The options are suggestions. */
  isFree?: boolean;
  onChange(value: string): void;
};

/** The maximum number of options that are shown at once. Typing finds the others. */
const maxShown = 100;

/** A choice with a search: a combobox with a list, as in the patterns of ARIA. */
export const Picker = ({ options, value, isFree = false, onChange, placeholder, ...field }: PickerProps) => {
  const [text, setText] = useState<string>();
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const isOpen = text !== undefined;
  const chosen = options.find((option) => option.value === value)?.label ?? value;
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  // Until the user types, the list has everything.
  const isSearch = isOpen && text !== chosen;
  const found = isSearch
    ? options.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    : options;
  const shown = found.slice(0, maxShown);
  const close = () => setText(undefined);
  const open = () => {
    setText(chosen);
    setActive(
      Math.max(
        0,
        options.findIndex((option) => option.value === value),
      ),
    );
  };
  const choose = (chosen: string) => {
    onChange(chosen);
    close();
  };
  const move = (place: number) => {
    setActive(place);
    list.current?.children[place]?.scrollIntoView({ block: 'nearest' });
  };
  const finish = () => {
    if (isFree && isSearch) return choose(text.trim());
    close();
  };
  const press = (event: KeyboardEvent) => {
    const { key } = event;
    if (!isOpen) {
      if (key === 'ArrowDown' || key === 'ArrowUp') open();
      else return;
    } else if (key === 'ArrowDown') move(Math.min(active + 1, shown.length - 1));
    else if (key === 'ArrowUp') move(Math.max(active - 1, 0));
    else if (key === 'Enter') isFree && isSearch && !shown[active] ? finish() : choose(shown[active]?.value ?? value);
    else if (key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  return (
    <Field {...field}>
      {(ids) => (
        <div className="picker">
          <input
            {...ids}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={`${ids.id}-list`}
            aria-activedescendant={isOpen && shown[active] ? `${ids.id}-${active}` : undefined}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck="false"
            dir="auto"
            placeholder={placeholder}
            value={text ?? chosen}
            onChange={({ target }) => {
              setText(target.value);
              setActive(0);
            }}
            onClick={open}
            onFocus={({ target }) => target.select()}
            onBlur={finish}
            onKeyDown={press}
          />
          <div id={`${ids.id}-list`} role="listbox" aria-label="Choices" ref={list} hidden={!isOpen}>
            {isOpen &&
              shown.map(({ value: own, label }, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the field, as in every combobox
                <div
                  key={own}
                  id={`${ids.id}-${index}`}
                  role="option"
                  tabIndex={-1}
                  dir="auto"
                  aria-selected={own === value}
                  className={index === active ? 'active' : undefined}
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => choose(own)}
                >
                  {label}
                </div>
              ))}
            {isOpen && found.length !== shown.length && (
              <p className="faint">{found.length - shown.length} more: type a part of the name.</p>
            )}
            {isOpen && found.length === 0 && (
              <p className="faint">{isFree ? 'Press Enter to use this text.' : 'Nothing has this name.'}</p>
            )}
          </div>
        </div>
      )}
    </Field>
  );
};
