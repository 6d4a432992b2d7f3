const hourMilliseconds = 3_600_000;

/** Returns noon of Wednesday in UTC of the week before this one, which begins on Monday in a time zone: by default in that of `openConsole`. */
export const wednesday = (timeZone = 'Europe/Berlin'): Date => {
  const today = new Date(new Date().toLocaleDateString('en-CA', { timeZone }));
  const sinceMonday = (today.getUTCDay() + 6) % 7;
  const monday = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() - sinceMonday);
  return new Date(monday - (5 * 24 - 12) * hourMilliseconds);
};

export const later = (at: Date, hours: number): string =>
  new Date(at.getTime() + hours * hourMilliseconds).toISOString();
