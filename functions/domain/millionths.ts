/** Returns exact millionths; undefined for more than six decimals, or a size of 1e12. */
export const toMillionths = (amount: number): bigint | undefined => {
  if (Math.abs(amount) >= 1e12) return undefined;
  const [, whole, decimals = ''] = /^(-?\d+)(?:\.(\d{1,6}))?$/.exec(String(amount)) ?? [];
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(6, '0'));
};

/** Returns millionths as a decimal number without needless zeros. */
export const toDecimal = (millionths: bigint): string => {
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
  const decimals = digits.slice(-6).replace(/0+$/, '');
  return `${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}${decimals && `.${decimals}`}`;
};
