import pMap from 'p-map';
import type { FiguresQuery } from '../domain/call-figures.ts';
import { type CallFigures, queriesInFlight } from './call-figures.ts';
import { Summary } from './summary.ts';

/** Adds up agents' figures, with a margin if all have the same currency. Figures that are read after the marks are exact without a mark, else pending. */
export const readFigures = async (
  callFigures: Pick<CallFigures, 'marksBetween' | 'read'>,
  agents: { agentId: string; valueCurrency?: string | undefined }[],
  query: FiguresQuery,
): Promise<ReturnType<Summary['result']> & { pending?: true }> => {
  const currencies = new Set(agents.map(({ valueCurrency }) => valueCurrency));
  const [valueCurrency] = currencies.size === 1 ? currencies : [];
  const agentIds = agents.map(({ agentId }) => agentId);
  const summary = new Summary(query);
  const { days } = summary;
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return summary.result(valueCurrency);
  const marks = await pMap(agentIds, (id) => callFigures.marksBetween(id, first, last), {
    concurrency: queriesInFlight,
  });
  const isPending = marks.flat().some(({ day, quarters }) => summary.touches(day, quarters));
  await callFigures.read(agentIds, days, (day, figures, bytes) => summary.add(day, figures, bytes));
  return { ...summary.result(valueCurrency), ...(isPending && { pending: true as const }) };
};
