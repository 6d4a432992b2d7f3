import * as z from 'zod/mini';
import { component, describe, flagField, listField, textField } from './describe.ts';
import { examples } from './examples.ts';

export const CustomerId = z
  .string()
  .check(
    z.regex(/^cus_[A-Za-z0-9_]{1,250}$/, { error: 'must be a customer identifier of Stripe, such as cus_ABC123' }),
  );

export const InvoiceId = z
  .string()
  .check(z.regex(/^in_[A-Za-z0-9_]{1,250}$/, { error: 'must be an invoice identifier of Stripe, such as in_ABC123' }));

const amount = (description: string, example: number) =>
  z.optional(z.nullable(z.number())).check(describe(`${description} In the smallest unit of the currency.`, example));
const time = (description: string, example: number | null) =>
  z.optional(z.nullable(z.number())).check(describe(`${description} In Unix seconds.`, example));
const nullableText = (description: string, example: string) =>
  z.optional(z.nullable(z.string())).check(describe(description, example));

export const Invoice = component(
  'Invoice',
  'An invoice, with every field that the payment provider sends.',
  z.looseObject({
    id: textField('Id of the invoice.', 'in_bc83b719a3f5c1f9b5f45788'),
    object: z.literal('invoice').check(describe('Type of the object.', 'invoice')),
    amount_due: amount('Amount due.', 4900),
    amount_paid: amount('Amount paid.', 4900),
    amount_remaining: amount('Amount that remains to be paid.', 0),
    currency: nullableText('Currency, as a three-letter code.', 'usd'),
    customer: nullableText('Id of the customer.', examples.customerId),
    date: time('When the invoice was created.', 1_772_323_200),
    due_date: time('When the invoice is due; null when it has no due date.', null),
    paid: z.optional(z.boolean()).check(describe('Whether the invoice is paid.', true)),
    status: nullableText('`draft`, `open`, `paid`, `uncollectible` or `void`.', 'paid'),
    total: amount('Total amount.', 4900),
  }),
);
export type Invoice = z.infer<typeof Invoice>;

export const InvoiceList = component(
  'InvoiceList',
  'A page of invoices, newest first.',
  z.looseObject({
    object: z.literal('list').check(describe('Type of the object.', 'list')),
    data: listField(Invoice, 'The invoices, newest first.'),
    has_more: flagField('Whether there are more invoices after this page.', false),
    url: textField('Path of this list at the payment provider.', '/v1/invoices'),
  }),
);
export type InvoiceList = z.infer<typeof InvoiceList>;

/** Adds `date` and `paid` where Stripe's version no longer sends them: it dropped them in 2019-03-14 and 2025-03-31. */
export const withDateAndPaid = (invoice: Invoice): Invoice => ({
  ...invoice,
  date: invoice.date ?? (invoice.created as number | undefined),
  paid: invoice.paid ?? invoice.status === 'paid',
});
