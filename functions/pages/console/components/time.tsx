import { type Address, addressNow, useAddress } from '../address.tsx';
import { formatTime, isTimeZone, ownTimeZone } from '../formats.ts';

/** Returns the time zone of the address, or the browser's. */
export const useTimeZone = (): string => chosenTimeZone(useAddress());

/** Returns the same without following changes, for the rows of a list, which its table renders again. */
export const timeZoneNow = (): string => chosenTimeZone(addressNow());

const chosenTimeZone = ({ filters: { timeZone } }: Address) =>
  timeZone && isTimeZone(timeZone) ? timeZone : ownTimeZone;

type TimeProps = { at: string; hasSeconds?: boolean; isShort?: boolean };

/** A point in time in the chosen time zone, without its date if that is above it. Another zone, UTC or the browser's, is in the tooltip. */
export const Time = ({ at, hasSeconds = false, isShort = false }: TimeProps) => {
  const timeZone = timeZoneNow();
  const other = timeZone === 'UTC' ? ownTimeZone : 'UTC';
  const options = { timeStyle: hasSeconds ? 'medium' : 'short' } as const;
  return (
    <time dateTime={at} title={`${formatTime(at, other, options)} (${other})`}>
      {formatTime(at, timeZone, isShort ? { dateStyle: undefined } : options)}
    </time>
  );
};
