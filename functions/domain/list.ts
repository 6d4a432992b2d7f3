import * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

type Bounds = {
  min?: number;
  max: number;
  /** The name of the items in messages. Default: `items`. */
  items?: string;
  /** The code of the error for a list that is too long. */
  code?: ErrorCode;
};

/** Declares an array whose length is validated before its items: the items of a list that is too long cost nothing. */
export const list = <Item extends z.core.$ZodType>(item: Item, { min = 0, max, items = 'items', code }: Bounds) => {
  const count = (n: number) => (n === 1 ? `1 ${items.replace(/s$/, '')}` : `${n} ${items}`);
  return z
    .pipe(
      z.custom<z.input<Item>[]>().check(
        z.meta({ type: 'array', minItems: min > 0 ? min : undefined }),
        z.refine((value) => Array.isArray(value), {
          abort: true,
          error: ({ input }) => (input === undefined ? 'is required' : 'must be an array'),
        }),
        z.refine((value) => value.length >= min, { abort: true, error: `must have at least ${count(min)}` }),
        z.refine((value) => value.length <= max, {
          abort: true,
          error: `must have at most ${count(max)}`,
          ...(code && { params: { code } }),
        }),
      ),
      z.array(item),
    )
    .check(z.meta({ documentAs: z.array(item).check(...(min > 0 ? [z.minLength(min)] : []), z.maxLength(max)) }));
};
