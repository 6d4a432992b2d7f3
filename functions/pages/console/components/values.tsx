import type { ReactNode } from 'react';
import { type Address, addressNow, useAddress } from '../address.tsx';
import { formatNearTime, formatTime, isTimeZone, ownTimeZone } from '../formats.ts';
import { useService } from '../service.tsx';

export type Tone = 'good' | 'bad' | 'working' | 'off';

type StatusProps = { tone: Tone; label: ReactNode };

/** A state in a word, with a dot of its color. */
export const Status = ({ tone, label }: StatusProps) => <span className={`status ${tone}`}>{label}</span>;

/** Facts with their names. Undefined facts are left out. */
export const Facts = ({ facts }: { facts: Record<string, ReactNode> }) => (
  <dl className="facts">
    {Object.entries(facts).map(
      ([name, value]) =>
        value !== undefined && (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ),
    )}
  </dl>
);

/** A value of the user's own, as formatted JSON. */
export const Json = ({ title, value }: { title: string; value: unknown }) => (
  <section>
    <h3>{title}</h3>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard */}
    <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
  </section>
);

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
      {isShort ? formatTime(at, timeZone, { dateStyle: undefined }) : formatNearTime(at, timeZone, hasSeconds)}
    </time>
  );
};

type WhoProps = { uid?: string | undefined; keyId?: string | undefined; keyName?: string | undefined };

/** When something was set, and by whom. */
export const SetBy = ({ at, ...who }: WhoProps & { at: string }) => (
  <>
    <Time at={at} /> <By {...who} />
  </>
);

/** Who did something, after what was done. */
export const By = (who: WhoProps) =>
  useService().keyId === who.keyId ? (
    'by you'
  ) : (
    <>
      by <Who {...who} />
    </>
  );

/** Who did something: “You” for the present key, otherwise the name of the key, with the id of the key and another user. */
export const Who = ({ uid, keyId, keyName }: WhoProps) => {
  const own = useService();
  if (keyId === own.keyId) return <>You</>;
  const user = uid !== undefined && uid !== own.uid && <bdi className="faint"> {uid}</bdi>;
  if (keyId === undefined) return <>The operator</>;
  return (
    <span title={keyId}>
      {keyName ? <bdi>{keyName}</bdi> : <code>{keyId}</code>}
      {user}
    </span>
  );
};
