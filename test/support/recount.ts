/** The fields of a call's item. */
export type CallRow = {
  startedAt: string;
  custom_call_outcome?: string;
  custom_call_outcome_value?: number;
  durationSeconds?: number;
};

/** Figures by hour and outcome. */
export type FiguresByName = Record<string, object>;

/** Counts calls by hour and outcome in a time zone, call by call, with the local times of `Intl`. */
export const recountOf = (
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
  return Object.fromEntries([...groups].map(([name, some]) => [name, figuresOf(some)]));
};

const figuresOf = (calls: CallRow[]) => {
  const all = calls.flatMap(({ custom_call_outcome_value: value }) => (value === undefined ? [] : [value]));
  const exact = all.map(millionthsOf).filter((millionths) => millionths !== undefined);
  const sum = exact.reduce((total, millionths) => total + millionths, 0n);
  const [, sign, whole, decimals] = /^(-?)(\d+)(\d{6})$/.exec(
    `${sum < 0n ? '-' : ''}${String(sum < 0n ? -sum : sum).padStart(7, '0')}`,
  ) as unknown as [string, string, string, string];
  return {
    calls: calls.length,
    withOutcome: calls.filter(({ custom_call_outcome }) => custom_call_outcome !== undefined).length,
    durationSeconds:
      calls.reduce((total, { durationSeconds = 0 }) => total + Math.round(durationSeconds * 1e6), 0) / 1e6,
    value: `${sign}${whole}.${decimals}`.replace(/\.?0+$/, ''),
    values: exact.length,
    valuesLeftOut: all.length - exact.length,
  };
};

/** Returns a value in millionths, by its shortest digits and their exponent. */
const millionthsOf = (value: number): bigint | undefined => {
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const [whole = '', decimals = ''] = digits.split('.');
  const power = Number(exponent) - decimals.length + 6;
  return Math.abs(value) >= 1e12 || power < 0 ? undefined : BigInt(whole + decimals) * 10n ** BigInt(power);
};
