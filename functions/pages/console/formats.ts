/** The user's variety of English. The page is in English, including its dates and numbers. */
const locale = navigator.languages.find((tag) => /^en(-[a-z]{2})?$/i.test(tag)) ?? 'en-US';

/** Returns formats by their options. They are kept, because making one takes a hundred times longer than using it. */
const keepFormats = <Options, Format>(create: (options: Options) => Format) => {
  const formats = new Map<string, Format>();
  return (options: Options): Format => {
    const name = JSON.stringify(options);
    const format = formats.get(name) ?? create(options);
    formats.set(name, format);
    return format;
  };
};

const getNumberFormat = keepFormats((options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
const getTimeFormat = keepFormats((options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
/** Swedish writes dates as ISO 8601 does. */
const getClock = keepFormats(
  (timeZone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
);

const plain = getNumberFormat({ maximumFractionDigits: 6 });
const cents = getNumberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 6 });
const compact = getNumberFormat({ notation: 'compact', maximumFractionDigits: 1 });
const percent = getNumberFormat({ style: 'percent', maximumFractionDigits: 1 });

/** Formats a number, or a decimal text without a loss of digits: `1234567.89` is “1,234,567.89”. */
export const formatNumber = (value: number | string): string => plain.format(value as number);

/** Formats a value of money, in a currency if it is known: 149.5 is “149.50”, and 150 USD is “$150.00”. */
export const formatValue = (value: number | string, currency?: string): string =>
  currency ? formatFullMoney(Number(value), currency) : cents.format(value as number);

/** Formats a part of a value, with two decimals. */
export const formatRatio = (value: number | string, parts: number): string =>
  cents.format((Number(value) / parts).toFixed(2) as unknown as number);

/** Formats a number so that it is short: 42884.5 is “42.9K”. */
export const formatShort = (value: number | string): string =>
  Math.abs(Number(value)) < 10_000 ? plain.format(value as number) : compact.format(value as number);

/** Formats a value of money so that it is short, in a currency if it is known: 149.5 is “149.50”, 42884.5 USD is “$42.9K”. */
export const formatMoney = (value: number, currency?: string): string => {
  if (currency === 'credits') return `${formatShort(value)} credits`;
  const isShort = Math.abs(value) >= 10_000;
  if (!currency) return isShort || Number.isInteger(value) ? formatShort(value) : formatRatio(value, 1);
  const notation = isShort
    ? ({ notation: 'compact', maximumFractionDigits: 1 } as const)
    : ({ trailingZeroDisplay: 'stripIfInteger' } as const);
  return getNumberFormat({ style: 'currency', currency, ...notation }).format(value);
};

/** Formats a value of money for a column, in a currency if it is known: 42884.5 USD is “$42,884.50”. */
export const formatFullMoney = (value: number, currency?: string): string => {
  if (currency === 'credits') return `${formatNumber(value)} credits`;
  return currency ? getNumberFormat({ style: 'currency', currency }).format(value) : formatRatio(value, 1);
};

/** Formats a share: 0.125 is “12.5%”. */
export const formatPercent = (share: number): string => percent.format(share);

/** Formats a size: 1536 bytes are “1.5 KB”. */
export const formatBytes = (bytes: number): string => {
  const power = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : 2;
  const size = getNumberFormat({ maximumFractionDigits: power === 0 ? 0 : 1 }).format(bytes / 1024 ** power);
  return `${size} ${['bytes', 'KB', 'MB'][power]}`;
};

/** Formats a duration: 212 seconds are “3:32”. */
export const formatDuration = (seconds: number): string => {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${twoDigits(rest)}` : `${minutes}:${twoDigits(rest)}`;
};

/** Formats a phone number so that it can be read: `+14155550100` is “+1 (415) 555-0100”. */
export const formatPhone = (number: string): string => {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(number) ?? [];
  return area ? `+1 (${area}) ${exchange}-${line}` : number;
};

/** The time zone of the browser. */
export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const isTimeZone = (name: string): boolean => {
  try {
    getTimeFormat({ timeZone: name });
    return true;
  } catch {
    return false;
  }
};

/** Formats a point in time: “Mar 1, 2026, 10:00 AM”. */
export const formatTime = (at: string, timeZone: string, options: Intl.DateTimeFormatOptions = {}): string =>
  getTimeFormat({ dateStyle: 'medium', timeStyle: 'short', timeZone, ...options }).format(new Date(at));

/** Formats a point in time without its year, if that is the present one: “Mar 1, 10:00 AM”. */
export const formatNearTime = (at: string, timeZone: string, hasSeconds = false, now = new Date()): string => {
  const [year, present] = [new Date(at), now].map((time) => toDateInZone(timeZone, time).slice(0, 4));
  if (year !== present) return formatTime(at, timeZone, { timeStyle: hasSeconds ? 'medium' : 'short' });
  const parts = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
  const styles = { dateStyle: undefined, timeStyle: undefined };
  return formatTime(at, timeZone, { ...styles, ...parts, ...(hasSeconds && { second: '2-digit' }) });
};

/** Formats a date without a time: `2026-03-01` is “Mar 1, 2026”. */
export const formatDate = (date: string, options: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }): string =>
  getTimeFormat({ timeZone: 'UTC', ...options }).format(new Date(`${date}T00:00:00Z`));

/** Returns the date of a point in time in a time zone: `2026-03-01`. */
export const toDateInZone = (timeZone: string, at = new Date()): string => getClock(timeZone).format(at).slice(0, 10);

/** Formats a point in time for a spreadsheet: “2026-03-01 10:00:00”. */
export const formatStamp = (at: string, timeZone: string): string => getClock(timeZone).format(new Date(at));

/** Returns the date that many days later. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** Returns the beginning of a day in a time zone, as a point in time. */
export const startOfDay = (date: string, timeZone: string): string => toInstant(`${date}T00:00`, timeZone);

/** Returns the point in time at which the clocks of a time zone show `2026-03-01T10:00`. */
export const toInstant = (clock: string, timeZone: string): string => {
  const shown = Date.parse(`${clock}Z`);
  // The second round is right even if the offset changes between the guess and the time that is shown.
  let guess = shown - offsetMilliseconds(shown, timeZone);
  guess = shown - offsetMilliseconds(guess, timeZone);
  return new Date(guess).toISOString();
};

/** Returns the end of a day in a time zone, as a point in time. */
export const endOfDay = (date: string, timeZone: string): string => startOfDay(addDays(date, 1), timeZone);

/** Returns the time by which the clocks of a time zone are ahead of UTC. */
const offsetMilliseconds = (at: number, timeZone: string): number =>
  Date.parse(`${getClock(timeZone).format(at).replace(' ', 'T')}Z`) - at;
