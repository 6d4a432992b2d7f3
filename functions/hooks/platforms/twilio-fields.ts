/** The fields of Twilio's voice webhooks. https://www.twilio.com/docs/voice/twiml#request-parameters */
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
    'SipDomainSid SipResponseCode SipSourceIp SipUser SpeechResult Stability StableSpeechResult StartConferenceOnEnter',
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

/** Checks that a form has the fields that Twilio signed: without separators, other fields can have the same text. */
export const areTwilios = (fields: [name: string, value: string][], address: string): boolean => {
  const names = new Set(fields.map(([name]) => name));
  const missing = meaningful.filter((name) => !names.has(name));
  const texts = [address, ...fields.map(([, value]) => value)];
  return (
    fields.every(([name, value]) => (documented.has(name) || custom.test(name)) && !isBeginning(name, value)) &&
    !missing.some((name) => texts.some((text) => text.includes(name)))
  );
};

/** Checks whether a longer name begins here and goes on in the value. */
const isBeginning = (name: string, value: string) => {
  for (const other of documented) {
    if (other.length > name.length && other.startsWith(name) && value.startsWith(other.slice(name.length))) return true;
  }
  return false;
};
