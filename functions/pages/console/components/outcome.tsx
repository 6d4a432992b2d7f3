import { addDays, dateIn } from '../formats.ts';
import { useService } from '../service.tsx';
import { type FigureSearch, useFigures } from './figures.tsx';
import { useTimeZone } from './time.tsx';

/** The number of colors for outcomes in the style sheet. One more is for everything else. */
const colors = 7;
export const otherColor = colors + 1;

/** Returns a place for a text, always the same one. */
const placeOf = (text: string) =>
  [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 9973, 7) % colors;

/**
 * Returns the color of each outcome, given the most frequent first. An outcome has a color of its own as long as there is
 * one, and keeps it whatever is shown.
 */
const colorsOf = (outcomes: string[]): Map<string, number> => {
  const taken = new Map<number, string>();
  for (const outcome of outcomes.slice(0, colors)) {
    let place = placeOf(outcome);
    while (taken.has(place)) place = (place + 1) % colors;
    taken.set(place, outcome);
  }
  return new Map([...taken].map(([place, outcome]) => [outcome, place + 1]));
};

/** Returns the outcomes or states that calls of the last 90 days have, the most frequent first. */
export const useValues = (field: 'outcome' | 'status', agentId?: string): string[] => {
  const { scopes } = useService();
  const timeZone = useTimeZone();
  const tomorrow = addDays(dateIn(timeZone), 1);
  const search: FigureSearch = { agentId, from: addDays(tomorrow, -90), to: tomorrow, timeZone };
  const { rows = [] } = useFigures(search, field, scopes.includes('calls')).data ?? {};
  return rows.toSorted((a, b) => b.calls - a.calls).flatMap((row) => row[field] || []);
};

/** Returns the color of each outcome of the user. */
export const useOutcomeColor = (): ((outcome: string) => number) => {
  const chosen = colorsOf(useValues('outcome'));
  return (outcome) => chosen.get(outcome) ?? otherColor;
};

/** An outcome with a dot of its color. */
export const OutcomeBadge = ({ outcome }: { outcome: string }) => (
  <span className="badge">
    <i className={`series-${useOutcomeColor()(outcome)}`} />
    <bdi>{outcome || '(empty)'}</bdi>
  </span>
);
