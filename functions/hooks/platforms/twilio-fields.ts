/**
 * The fields of Twilio's voice webhooks.
 * https://www.twilio.com/docs/voice/twiml#request-parameters
 * https://www.twilio.com/docs/voice/api/sip-twiml
 * https://www.twilio.com/docs/voice/api/call-resource#statuscallback
 */
const documented = new Set(
  [
    'AccountSid AddOns AnsweredBy ApiVersion ApplicationSid AvgQueueTime CallDuration CallReason CallSid CallSidEndingConference',
    'CallSidToCoach CallStatus CallToken CallbackSource Called CalledCity CalledCountry CalledState CalledVia CalledZip Caller',
    'CallerCity CallerCountry CallerId CallerName CallerState CallerZip Coaching ConferenceSid Confidence CurrentQueueSize',
    'DequeingCallSid DequeueResult DequeuedCallDuration DequeuedCallQueueTime DequeuedCallSid DialBridged DialCallDuration',
    'DialCallSid DialCallStatus DialSipCallId DialSipResponseCode Digits Direction Duration EndConferenceOnExit ErrorCode',
    'ErrorMessage ErrorUrl FinishedOnKey ForwardedFrom FriendlyName From FromCity FromCountry FromState FromZip HandoffData Hold',
    'InstanceSid Language MachineDetectionDuration Msg Muted ParentCallSid ParticipantCallStatus ParticipantLabel QueuePosition',
    'QueueResult QueueSid QueueTime QueueTimeout Reason ReasonConferenceEnded ReasonParticipantLeft RecordingChannels',
    'RecordingDuration RecordingSid RecordingSource RecordingStartTime RecordingStatus RecordingTrack RecordingUrl ReferCallStatus',
    'ReferSipResponseCode ReferTransferTarget SequenceNumber SessionDuration SessionId SessionStatus SipCallId SipDomain',
    'SipDomainSid SipResponseCode SipSourceIp SipUser SipUsername SpeechResult Stability StableSpeechResult StartConferenceOnEnter',
    'StatusCallbackEvent StirPassportToken StirStatus StirVerstat StreamError StreamEvent StreamName StreamSid TaskSid Timestamp',
    'To ToCity ToCountry ToState ToZip TranscriptionSid TranscriptionStatus TranscriptionText TranscriptionType TranscriptionUrl',
    'TrunkSid TwimlAppSid UnstableSpeechResult Url VirtualAgentProvider VirtualAgentProviderData VirtualAgentProviderError',
    'VirtualAgentStatus WorkflowSid WorkspaceSid',
  ].flatMap((line) => line.split(' ')),
);

/** SIP headers and the Voice SDK's parameters. No Twilio name begins in lower case. */
const custom = /^((Dial)?SipHeader_.+|Parameters?(_.+)?|[a-z].*)$/s;

/** The fields that decide what a webhook means. */
const meaningful = ['CallSid', 'CallStatus', 'Direction', 'From', 'StirVerstat', 'To'];

/** What the fields above look like behind their names: a text with it may hold them, as another form that has the same text. */
const meaning =
  /CallSidCA[0-9a-f]|CallStatus(queued|initiated|ringing|in-progress|completed|busy|no-answer|failed|canceled)|Direction(in|out)bound|StirVerstatTN-|(From|To)([+\d]|client:|sips?:|tel:|whatsapp:)/;

export type Fields = [name: string, value: string][];

/**
 * Returns the name of a field that Twilio may not have signed as it is, if any: without separators, other fields can have the
 * same text. `own` are names that the user sends with the Voice SDK.
 */
export const findStrangeField = (fields: Fields, address: string, own: readonly string[] = []): string | undefined => {
  const owned = new Set(own);
  const strange = fields.find(
    ([name, value]) => !(documented.has(name) || custom.test(name) || owned.has(name)) || isBeginning(name, value, own),
  );
  if (strange) return strange[0];
  const names = new Set(fields.map(([name]) => name));
  const texts = [address, ...fields.map(([, value]) => value)];
  const missing = meaningful.find((name) => !names.has(name) && texts.some((text) => text.includes(name)));
  if (missing !== undefined) return missing;
  // Callers choose the values of such fields, which stand among those that decide.
  return own.some((name) => names.has(name)) ? fields.find(([, value]) => meaning.test(value))?.[0] : undefined;
};

/** The beginnings of longer names, with what follows them. A function that gets no signed form needs none of them. */
let beginnings: Map<string, string[]> | undefined;

const listBeginnings = () => {
  const rests = new Map<string, string[]>();
  for (const name of documented)
    for (let end = 1; end < name.length; end++) {
      const start = name.slice(0, end);
      rests.set(start, [...(rests.get(start) ?? []), name.slice(end)]);
    }
  return rests;
};

/** Checks whether a longer name begins here and goes on in the value. */
const isBeginning = (name: string, value: string, own: readonly string[]) => {
  beginnings ??= listBeginnings();
  return (
    beginnings.get(name)?.some((rest) => value.startsWith(rest)) ||
    own.some((other) => other.length > name.length && `${name}${value}`.startsWith(other))
  );
};
