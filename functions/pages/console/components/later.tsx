import { type ReactNode, useEffect, useState } from 'react';
import { isReturning } from '../address.tsx';

/** Returns a value once the browser has shown what there was before it, so that a click is answered before the rest is rendered. */
export const useLater = <Value,>(value: Value, initial = value): Value => {
  const [shown, setShown] = useState(initial);
  useEffect(() => setShown(value), [value]);
  return shown;
};

/**
 * Renders what takes a while once the browser has shown what is around it, and `meanwhile` in its place. Where the browser
 * returns to an address, all of it is rendered at once.
 */
export const Later = ({ meanwhile, children }: { meanwhile?: ReactNode; children: ReactNode }) =>
  useLater(true, isReturning()) ? children : meanwhile;
