import type { Page } from '../../../functions/domain/sources.ts';

/** The texts of the demo, about a fictitious dental practice. */

const site = 'https://www.example.com';

/** The website as the crawler reads it. */
export const demoWebsite = {
  url: `${site}/`,
  pages: [
    {
      url: `${site}/`,
      title: 'Example Dental',
      text: 'Example Dental is a dental practice in San Francisco. New patients are welcome: call us to make an appointment.',
    },
    {
      url: `${site}/treatments`,
      title: 'Treatments and prices',
      text: `A check-up takes half an hour and costs 95 dollars. A cleaning is 140 dollars, a filling from 210 dollars, a crown from 480 dollars.

Whitening is offered twice a year. Ask for the dates.`,
    },
    {
      url: `${site}/new-patients`,
      title: 'New patients',
      text: `Please come ten minutes early to your first appointment and bring your insurance card and a list of your medicines.

Parking is free for one hour in the garage next door.`,
    },
    {
      url: `${site}/payment`,
      title: 'Payment and refunds',
      text: `You can pay by card, by bank transfer or in four monthly installments.

Refunds: a deposit for an appointment is refunded within five working days when the appointment is canceled at least 24 hours before it begins. Later cancellations are not refunded, but the deposit counts toward your next appointment.`,
    },
    {
      url: `${site}/emergencies`,
      title: 'Emergencies',
      text: 'If a tooth is knocked out, keep it in milk and come at once. Outside of our hours, the emergency service answers at +1 415 555 0142.',
    },
  ] satisfies Page[],
  failedPages: [{ url: `${site}/intake-form.pdf`, reason: 'The page is neither HTML nor plain text.' }],
};

export const openingHours = `# Opening hours

Monday to Friday from 8:00 to 18:00, Saturday from 9:00 to 13:00. Closed on Sundays and public holidays.

In an emergency outside of these hours, call +1 415 555 0142.
`;

export const handbook = `# Handbook for the front desk

## Appointments

Offer the next two free times, one in the morning and one in the afternoon. A first appointment takes 45 minutes, any other one 30.

## Moving and canceling

Patients may move an appointment until 24 hours before it begins. Later, pass the call on to the team.

## Refunds

Never promise a refund on the phone. Say that a deposit is refunded when the appointment is canceled 24 hours before, and pass everything else on to the team.

## Children

Children under six come with one parent into the treatment room. Their check-up is free.
`;

/** A file that no reader of PDF can read. */
export const brokenPdf = '%PDF-1.7\nThis file was cut off while it was copied.\n';

/** Numbers of people who are not to be called. Two lines are no numbers in E.164 format. */
export const registryFile = `number,reason
+1 209 555 0104,Do-not-call registry
+1 209 555 0119,Do-not-call registry
+1 530 555 0131,Do-not-call registry
(530) 555-0172,Do-not-call registry
+1 559 555 0108,Moved away
+1 559 555 0166,Do-not-call registry
+1 831 555 0113,Do-not-call registry
call the office first,Do-not-call registry
+1 916 555 0127,Wrong number
+1 916 555 0190,Do-not-call registry
+1 760 555 0141,Do-not-call registry
+1 760 555 0141,Do-not-call registry
+1 805 555 0155,Do-not-call registry
`;
