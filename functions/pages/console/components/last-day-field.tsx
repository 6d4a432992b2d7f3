import { endOfDay, toDateInZone } from '../formats.ts';
import { TextField } from './fields.tsx';
import { useTimeZone } from './time.tsx';

type LastDayProps = { /** What holds without a day. */ note: string; value: string; onChange(day: string): void };

/** The last day on which something holds. */
export const LastDayField = ({ note, value, onChange }: LastDayProps) => {
  const timeZone = useTimeZone();
  return (
    <TextField
      label="Last day"
      name="expiresAt"
      note={`${note} The day ends in ${timeZone.replaceAll('_', ' ')}.`}
      type="date"
      min={toDateInZone(timeZone)}
      value={value}
      onChange={onChange}
    />
  );
};

/** Returns the end of a chosen day as a time of the API; undefined without a day. */
export const useEndOfDay = (): ((day: string | undefined) => string | undefined) => {
  const timeZone = useTimeZone();
  return (day) => (day ? endOfDay(day, timeZone) : undefined);
};
