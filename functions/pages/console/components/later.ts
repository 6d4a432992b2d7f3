import { useEffect, useState } from 'react';

/** Returns a value once the browser has shown what there was before it, so that a click is answered before the rest is rendered. */
export const useLater = <Value>(value: Value, initial = value): Value => {
  const [shown, setShown] = useState(initial);
  useEffect(() => setShown(value), [value]);
  return shown;
};
