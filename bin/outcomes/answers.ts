/** How long an answer asks to be left alone: `Retry-After` is a number of seconds or a date. */
export const secondsToWait = (response: Response): number => {
  const value = response.headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : Math.max(0, (date - Date.now()) / 1000);
};

/** Why no answer came: `fetch` tells it in the cause of what it throws. */
export const causeOf = (fault: Error): string => {
  const { cause } = fault as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? fault.message;
};
