import { expect, it } from 'vitest';
import { findStrangeField } from '../../functions/hooks/platforms/twilio-fields.ts';

/** The parameters that pages of Twilio's documentation list, by page. */
const documented: Record<string, string> = {
  'https://www.twilio.com/docs/voice/twiml#request-parameters':
    'CallSid AccountSid From To CallStatus ApiVersion Direction ForwardedFrom CallerName ParentCallSid CallToken FromCity FromState FromZip FromCountry ToCity ToState ToZip ToCountry',
  'https://www.twilio.com/docs/voice/api/sip-twiml':
    'To From SipDomain SipDomainSid SipUsername SipCallId SipSourceIp SipHeader_X-Account',
  'https://www.twilio.com/docs/voice/api/call-resource#statuscallback':
    'CallSid AccountSid From To CallStatus ApiVersion Direction ForwardedFrom CallerName ParentCallSid CallDuration Duration SipResponseCode RecordingUrl RecordingSid RecordingDuration Timestamp CallbackSource SequenceNumber',
  'https://www.twilio.com/docs/voice/answering-machine-detection': 'AnsweredBy MachineDetectionDuration',
  'https://www.twilio.com/docs/voice/trusted-calling-with-shakenstir': 'StirVerstat StirPassportToken StirStatus',
  'https://www.twilio.com/docs/voice/twiml/dial#attributes-action':
    'DialCallStatus DialCallSid DialCallDuration DialBridged RecordingUrl',
  'https://www.twilio.com/docs/voice/twiml/sip#dial-action-http-parameters':
    'DialSipCallId DialSipResponseCode DialSipHeader_X-Account',
  'https://www.twilio.com/docs/voice/twiml/gather#action': 'Digits SpeechResult Confidence',
  'https://www.twilio.com/docs/voice/twiml/record#attributes-action': 'RecordingUrl RecordingDuration Digits',
};

it.each(Object.entries(documented))('a signed form may have the parameters of %s', (_, names) => {
  expect(
    findStrangeField(
      names.split(' ').map((name) => [name, 'x']),
      'https://api.example.com/hooks/twilio',
    ),
  ).toBe(undefined);
});

const form = (fields: Record<string, string>): [string, string][] =>
  Object.entries({
    CallSid: 'CA1',
    CallStatus: 'ringing',
    Direction: 'inbound',
    From: 'client:tom',
    To: '',
    ...fields,
  });
const address = 'https://api.example.com/hooks/twilio?uid=u';

it.each([
  [{ PhoneNumber: '+14155550188', CustomerId: 'From Toronto To Tom' }],
  [{ Name: 'Tom' }],
  [{ lower: 'x', PhoneNumber: '' }],
])('a form may have own parameters (%j)', (fields) => {
  expect(findStrangeField(form(fields), address, ['PhoneNumber', 'CustomerId', 'Name'])).toBe(undefined);
});

it.each([
  [{ Phone: '1' }, 'Phone'],
  // The same text as another name with the rest of the value.
  [{ Phone: 'Number1' }, 'Phone', ['Phone', 'PhoneNumber']],
  [{ Caller: 'Name Tom' }, 'Caller', ['CallerName Tom']],
  [{ Called: 'BackNumber' }, 'Called', ['CalledBackNumber']],
  // A value with a field that decides, as a caller could choose it, or as it is left when another was read in its place.
  [{ PhoneNumber: 'xTo+1900555' }, 'PhoneNumber'],
  [{ PhoneNumber: 'x', To: '+1900555', zz: 'To+14155550100' }, 'zz'],
  [{ PhoneNumber: 'x', CallerName: 'Directionoutbound-api' }, 'CallerName'],
])(
  'a form with own parameters that could be another is refused for its field (%j: %s)',
  (fields, field, own = ['PhoneNumber']) => {
    expect(findStrangeField(form(fields), address, own)).toBe(field);
  },
);
