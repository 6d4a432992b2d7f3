import * as z from 'zod/mini';

export const CustomerId = z
  .string()
  .check(
    z.regex(/^cus_[A-Za-z0-9_]{1,250}$/, { error: 'must be a customer identifier of Stripe, such as cus_ABC123' }),
  );

export const InvoiceId = z
  .string()
  .check(z.regex(/^in_[A-Za-z0-9_]{1,250}$/, { error: 'must be an invoice identifier of Stripe, such as in_ABC123' }));

const amount = z.optional(z.nullable(z.number().check(z.describe('In the smallest unit of the currency.'))));
const time = z.nullable(z.number().check(z.describe('In Unix seconds.')));

/** An invoice with every field Stripe sends. Those named here are the contract's (2.7). */
export const Invoice = z.looseObject({
  id: z.string(),
  object: z.literal('invoice'),
  amount_due: amount,
  amount_paid: amount,
  amount_remaining: amount,
  currency: z.optional(z.nullable(z.string())),
  customer: z.optional(z.nullable(z.string())),
  date: z.optional(time),
  due_date: z.optional(time),
  paid: z.optional(z.boolean()),
  status: z.optional(z.nullable(z.string().check(z.describe('draft, open, paid, uncollectible or void.')))),
  total: amount,
});
export type Invoice = z.infer<typeof Invoice>;

export const InvoiceList = z.looseObject({
  object: z.literal('list'),
  data: z.array(Invoice),
  has_more: z.boolean(),
  url: z.string(),
});
export type InvoiceList = z.infer<typeof InvoiceList>;

/** Adds `date` and `paid` where Stripe's version no longer sends them: it dropped them in 2019-03-14 and 2025-03-31. */
export const withDateAndPaid = (invoice: Invoice): Invoice => ({
  ...invoice,
  date: invoice.date ?? (invoice.created as number | undefined),
  paid: invoice.paid ?? invoice.status === 'paid',
});
