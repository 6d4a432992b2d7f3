/** The fields of a call's item. */
export type CallRow = {
  startedAt: string;
  custom_call_outcome?: string;
  custom_call_outcome_value?: number;
  durationSeconds?: number;
  details?: { cost?: unknown };
  heldOutcome?: unknown;
};

/** Figures by hour and outcome. */
export type FiguresByName = Record<string, object>;

/** Counts calls by hour and outcome in a time zone, call by call, with the local times of `Intl`. */
export const recount = (
  calls: CallRow[],
  { from, to, timeZone }: { from: string; to: string; timeZone: string },
): FiguresByName => {
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, dateStyle: 'short', timeStyle: 'medium' },
  });
  const offset = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const groups = Map.groupBy(
    calls.flatMap((call) => {
      const [date = '', time = ''] = format.format(new Date(call.startedAt)).split(' ');
      if (date < from || date >= to) return [];
      const zone = offset.formatToParts(new Date(call.startedAt)).find(({ type }) => type === 'timeZoneName')?.value;
      const hour = `${date}T${time.slice(0, 2)}:00:00${zone === 'GMT' ? '+00:00' : zone?.slice(3)}`;
      return [{ ...call, name: `${hour} ${JSON.stringify(call.custom_call_outcome ?? null)}` }];
    }),
    ({ name }) => name,
  );
  return Object.fromEntries([...groups].map(([name, some]) => [name, computeFigures(some)]));
};

const computeFigures = (calls: CallRow[]) => {
  const all = calls.flatMap(({ custom_call_outcome_value: value }) => (value === undefined ? [] : [value]));
  const exact = all.map(toMillionths).filter((millionths) => millionths !== undefined);
  const sum = exact.reduce((total, millionths) => total + millionths, 0n);
  return {
    calls: calls.length,
    withOutcome: calls.filter(({ custom_call_outcome }) => custom_call_outcome !== undefined).length,
    durationSeconds:
      calls.reduce((total, { durationSeconds = 0 }) => total + Math.round(durationSeconds * 1e6), 0) / 1e6,
    value: formatDecimal(sum),
    values: exact.length,
    valuesLeftOut: all.length - exact.length,
    ...sumCosts(calls),
    held: calls.filter(({ heldOutcome }) => heldOutcome !== undefined).length,
  };
};

/** Adds up costs call by call, a currency after the other. */
const sumCosts = (calls: CallRow[]) => {
  const given = calls.map(({ details }) => details?.cost).filter((cost) => cost !== undefined && cost !== null);
  const sums: Record<string, bigint> = {};
  let costs = 0;
  for (const one of given) {
    const { amount, currency } = one as { amount?: unknown; currency?: unknown };
    const millionths = typeof amount === 'number' && amount >= 0 ? toMillionths(amount) : undefined;
    if (millionths === undefined || !/^([A-Z][A-Z][A-Z]|credits)$/.test(String(currency))) continue;
    sums[String(currency)] = (sums[String(currency)] ?? 0n) + millionths;
    costs++;
  }
  const cost = Object.fromEntries(Object.entries(sums).map(([currency, sum]) => [currency, formatDecimal(sum)]));
  return { cost, costs, costsLeftOut: given.length - costs };
};

const formatDecimal = (millionths: bigint): string => {
  const [, sign, whole, decimals] = /^(-?)(\d+)(\d{6})$/.exec(
    `${millionths < 0n ? '-' : ''}${String(millionths < 0n ? -millionths : millionths).padStart(7, '0')}`,
  ) as unknown as [string, string, string, string];
  return `${sign}${whole}.${decimals}`.replace(/\.?0+$/, '');
};

/** Returns a value in millionths, by its shortest digits and their exponent. */
const toMillionths = (value: number): bigint | undefined => {
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const [whole = '', decimals = ''] = digits.split('.');
  const power = Number(exponent) - decimals.length + 6;
  return Math.abs(value) >= 1e12 || power < 0 ? undefined : BigInt(whole + decimals) * 10n ** BigInt(power);
};
