/** A native switch: something is on or off. */
export const Switch = ({
  label,
  isOn,
  isDisabled = false,
  onChange,
}: {
  label: string;
  isOn: boolean;
  isDisabled?: boolean;
  onChange(isOn: boolean): void;
}) => (
  <input
    type="checkbox"
    // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox says by itself whether it is checked
    role="switch"
    className="switch"
    aria-label={label}
    checked={isOn}
    disabled={isDisabled}
    onChange={(event) => onChange(event.target.checked)}
  />
);
