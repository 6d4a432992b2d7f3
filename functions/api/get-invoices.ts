import * as z from 'zod/mini';
import { noInvoices, stripe } from '../clients/stripe.ts';
import { confirmation, describe, describedObject } from '../domain/describe.ts';
import { examples } from '../domain/examples.ts';
import { CustomerId, InvoiceId, InvoiceList, withDateAndPaid } from '../domain/invoices.ts';
import { limits } from '../domain/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';

/** Returns a customer's invoices from the payment provider. Only the platform's own application may call it. */
export const getInvoices = endpoint({
  name: 'getInvoices',
  method: 'POST',
  path: '/get-invoices',
  summary: 'Get the invoices of a customer',
  description:
    'Returns the invoices of a customer of the payment provider, newest first, up to 100 per request. Only the platform’s own web application may call this: the `Origin` header must equal the configured application origin. The invoices are Stripe’s own objects.',
  caller: { kind: 'application' },
  services: { stripe },
  body: z.object({
    customerId: CustomerId.check(describe('Id of the customer at the payment provider.', examples.customerId)),
    startingAfter: z.optional(
      z
        .nullable(InvoiceId)
        .check(describe('Id of the last invoice of the previous page.', 'in_bc83b719a3f5c1f9b5f45788')),
    ),
  }),
  raw: {
    maxBodyBytes: limits.invoicesBodyBytes,
    errorCodes: { '': 'customer_id_required', customerId: 'customer_id_required' },
  },
  response: describedObject('A page of invoices.', {
    message: confirmation('Invoices retrieved.'),
    invoices: InvoiceList,
  }),
  errors: ['customer_id_required', 'invoices_not_found'],
  errorDescriptions: { 400: 'The customer id is missing, or a field is invalid.' },

  async handle({ body: { customerId, startingAfter } }, { stripe }) {
    const list = await stripe.listInvoices(customerId, startingAfter);
    if (list.data.length === 0 && !startingAfter) throw noInvoices();
    return {
      message: 'Invoices retrieved.',
      invoices: withinOneAnswer({ ...list, data: list.data.map(withDateAndPaid) }),
    };
  },
});

/** Leaves out the invoices that do not fit into one response, and indicates that there are more. */
const withinOneAnswer = (list: InvoiceList): InvoiceList => {
  let bytes = 0;
  const tooMuch = list.data.findIndex((invoice) => {
    bytes += Buffer.byteLength(JSON.stringify(invoice)) + 1;
    return bytes > limits.answerBytes;
  });
  return tooMuch < 1 ? list : { ...list, data: list.data.slice(0, tooMuch), has_more: true };
};

export const handler = lambdaWithoutKey(getInvoices);
