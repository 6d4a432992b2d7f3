import type { NewConsent, RecordCallParams } from '../../../functions/openapi/client/client.ts';

/** What people have consented to, which numbers are never taken, and what was said in a call. */

/** The purpose for which the outbound agent needs a consent. */
export const demoPurpose = 'reminders';
export const demoDisclosure = 'You are speaking with an AI assistant.';
export const demoTranscriptDays = 90;

/** A consent with its proof, and another one that was revoked. */
export const demoConsents = (number: string): NewConsent[] => {
  const signedUp = '2026-01-12T18:00:00Z';
  return [
    {
      ...{ number, purpose: demoPurpose, state: 'given', at: signedUp, seller: 'Example Dental' },
      proof: {
        channel: 'web',
        text: 'Example Dental may remind me of check-ups by phone, also with an artificial voice.',
        url: 'https://www.example.com/new-patients',
      },
    },
    { number, purpose: 'offers', state: 'given', at: signedUp, proof: { channel: 'paper' } },
    {
      number,
      purpose: 'offers',
      state: 'revoked',
      at: '2026-02-03T22:15:00Z',
      proof: { channel: 'message', text: 'STOP' },
    },
  ];
};

export const demoRules = {
  prefixes: [
    { prefix: '+882', reason: 'International networks, which are expensive' },
    { prefix: '+1900', reason: 'Premium numbers' },
  ],
  allow: ['+19005550142'],
};

/** A call of the person that ended before `until` (Unix milliseconds). */
export const demoTranscript = (
  phone: string,
  until: number,
): Omit<RecordCallParams, 'agentId' | 'callIdOrPhone'> & { callId: string } => ({
  callId: 'demo-transcript',
  phone,
  direction: 'inbound',
  status: 'completed',
  startedAt: new Date(until - 20 * 60_000).toISOString(),
  durationSeconds: 34,
  details: { summary: 'The caller moves the check-up to Thursday at ten.' },
  transcript: [
    { role: 'agent', text: `${demoDisclosure} This is Example Dental. How can I help you?`, at: 0.4 },
    { role: 'caller', text: 'I have a check-up tomorrow, and I cannot come.', at: 6.8 },
    { role: 'tool', text: 'find_times: Thursday 10:00, Friday 15:30', at: 11.2 },
    { role: 'agent', text: 'Would Thursday at ten suit you?', at: 12.5 },
    { role: 'caller', text: 'That is fine. Do you need my card? It is 4111 1111 1111 1111.', at: 16 },
    { role: 'agent', text: 'I do not need it. You are booked for Thursday at ten. Goodbye.', at: 27.1 },
  ],
});
