import type * as z from 'zod/mini';

/** Returns the fields of a record that a schema has: a response cannot show one that somebody adds to the record. */
export const pickFields = <Fields extends z.core.$ZodLooseShape>(
  record: z.infer<z.ZodMiniObject<Fields>>,
  { shape }: z.ZodMiniObject<Fields>,
) => Object.fromEntries(Object.entries(record).filter(([name]) => name in shape)) as z.infer<z.ZodMiniObject<Fields>>;
