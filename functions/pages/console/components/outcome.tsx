import { createContext, type ReactNode, use, useMemo } from 'react';
import type { CallFiguresRow } from '../../../openapi/client/client.ts';
import { useAddress } from '../address.tsx';
import { addDays, toDateInZone } from '../formats.ts';
import { useService } from '../service.tsx';
import { type FigureSearch, readPeriod, useFigures } from './figures.tsx';
import { useTimeZone } from './values.tsx';

/** The number of colors for outcomes in the style sheet. One more is for everything else. */
const colors = 7;
export const otherColor = colors + 1;

/** Returns a place for a text, always the same one. */
const hashToPlace = (text: string) =>
  [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 9973, 7) % colors;

/**
 * Returns the color of each outcome of some lists, each with the most frequent first. An outcome keeps the color that it has
 * in an earlier list. Within a list, colors differ as long as there are enough.
 */
const assignColors = (...lists: string[][]): Map<string, number> => {
  const places = new Map<string, number>();
  for (const list of lists) {
    const named = list.slice(0, colors);
    for (const outcome of named) {
      if (places.has(outcome)) continue;
      const taken = named.map((other) => places.get(other));
      let place = hashToPlace(outcome);
      while (taken.includes(place)) place = (place + 1) % colors;
      places.set(outcome, place);
    }
  }
  return places;
};

type Value = 'outcome' | 'status';
type Figures = { rows: CallFiguresRow[] } | undefined;

/** Returns the outcomes or states of figures, the most frequent first. */
const listValues = (figures: Figures, field: Value): string[] =>
  figures?.rows.toSorted((a, b) => b.calls - a.calls).flatMap((row) => row[field] || []) ?? [];

/** Reads the figures of the last 90 days by outcome or by state. */
const useRecent = (field: Value, agentId?: string) => {
  const { scopes } = useService();
  const timeZone = useTimeZone();
  const tomorrow = addDays(toDateInZone(timeZone), 1);
  const search: FigureSearch = { agentId, from: addDays(tomorrow, -90), to: tomorrow, timeZone };
  return useFigures(search, field, scopes.includes('calls')).data;
};

/** Returns the outcomes or states that calls of the last 90 days have, the most frequent first. */
export const useValues = (field: Value, agentId?: string): string[] => listValues(useRecent(field, agentId), field);

/** Returns how many calls of the last 90 days have an outcome that is held. */
export const useHeldCount = (): number => useRecent('outcome')?.totals.held ?? 0;

const Places = createContext<Map<string, number>>(new Map());

/** Gives each outcome of the user in the last 90 days and in the period of the address its color, once for all badges. */
export const OutcomeColors = ({ children }: { children: ReactNode }) => {
  const { filters } = useAddress();
  const timeZone = useTimeZone();
  const recent = useRecent('outcome');
  const shown = useFigures({ agentId: filters.agentId, timeZone, ...readPeriod(filters, timeZone) }, 'outcome').data;
  const places = useMemo(
    () => assignColors(listValues(recent, 'outcome'), listValues(shown, 'outcome')),
    [recent, shown],
  );
  return <Places value={places}>{children}</Places>;
};

/** Returns the color of an outcome within `OutcomeColors`. */
export const useOutcomeColor = (): ((outcome: string) => number) => {
  const places = use(Places);
  return (outcome) => (places.get(outcome) ?? hashToPlace(outcome)) + 1;
};

/** An outcome with a dot of its color. */
export const OutcomeBadge = ({ outcome }: { outcome: string }) => (
  <span className="badge">
    <i className={`series-${useOutcomeColor()(outcome)}`} />
    <bdi>{outcome || '(empty)'}</bdi>
  </span>
);
