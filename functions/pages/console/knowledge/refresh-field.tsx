import { TextField } from '../components/fields.tsx';

/** The days after which a website is read again. Empty: never. */
export const RefreshField = ({ days }: { days?: number | null | undefined }) => (
  <TextField
    label="Read again after days"
    name="refreshEvery"
    note="From 1 to 90. Without a number, only when you ask for it."
    type="number"
    min={1}
    max={90}
    defaultValue={days ?? ''}
  />
);
