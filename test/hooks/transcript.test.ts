import { describe, expect, it } from 'vitest';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import type { Platform } from '../../functions/hooks/platforms/platform.ts';
import { platforms } from '../../functions/hooks/platforms/platforms.ts';

const read = (platform: PlatformName, body: Record<string, unknown>) => {
  const event = (platforms[platform] as Platform).read({ body, query: {} });
  return event.type === 'end' ? event.turns : undefined;
};

const endAt = {
  vapi: (artifact: object) => ({ message: { type: 'end-of-call-report', call: { id: 'c1' }, artifact } }),
  retell: (call: object) => ({ event: 'call_ended', call: { call_id: 'c1', ...call } }),
  elevenlabs: (data: object) => ({ type: 'post_call_transcription', data: { conversation_id: 'c1', ...data } }),
};

const spoken = [
  { role: 'agent', text: 'Hello, how can I help?', at: 0.5 },
  { role: 'caller', text: 'When do you open?', at: 3 },
  { role: 'tool', text: 'get_hours: 9 to 5', at: 4 },
  { role: 'agent', text: 'At nine.', at: 6.25 },
];

describe('the turns of a transcript', () => {
  it('those of Vapi are read from its messages', () => {
    const messages = [
      { role: 'system', message: 'You are a receptionist.', time: 1, secondsFromStart: 0 },
      { role: 'bot', message: 'Hello, how can I help?', secondsFromStart: 0.5 },
      { role: 'user', message: 'When do you open?', secondsFromStart: 3 },
      { role: 'tool_calls', toolCalls: [{ id: 't1', function: { name: 'get_hours', arguments: '{}' } }], message: '' },
      { role: 'tool_call_result', toolCallId: 't1', name: 'get_hours', result: '9 to 5', secondsFromStart: 4 },
      { role: 'bot', message: 'At nine.', secondsFromStart: 6.25 },
    ];
    const turns = [{ role: 'system', text: 'You are a receptionist.', at: 0 }, ...spoken];
    expect(read('vapi', endAt.vapi({ messages, transcript: 'AI: Something else' }))).toEqual(turns);
  });

  it('those that a platform sends in another form alone are read from it', () => {
    const said = [
      { role: 'agent', text: 'Hello, how can I help?' },
      { role: 'caller', text: 'When do you open?' },
    ];
    const entries = [
      { role: 'assistant', content: 'Hello, how can I help?' },
      { role: 'user', content: 'When do you open?' },
    ];
    expect(read('vapi', endAt.vapi({ messagesOpenAIFormatted: entries }))).toEqual(said);
    const artifact = { transcript: 'AI: Hello, how can I help?\nUser: When do you open?' };
    expect(read('vapi', { message: { type: 'end-of-call-report', call: { id: 'c1', artifact } } })).toEqual(said);
    expect(read('retell', endAt.retell({ scrubbed_transcript_with_tool_calls: entries }))).toEqual(said);
  });

  it('those of Retell are read with the results of tools, or without them', () => {
    const transcript_object = [
      { role: 'agent', content: 'Hello, how can I help?', words: [{ word: 'Hello,', start: 0.5, end: 0.7 }] },
      { role: 'user', content: 'When do you open?', words: [{ word: 'When', start: 3, end: 3.2 }] },
    ];
    const transcript_with_tool_calls = [
      ...transcript_object,
      { role: 'tool_call_invocation', tool_call_id: 't1', name: 'get_hours', arguments: '{}' },
      { role: 'tool_call_result', tool_call_id: 't1', content: '9 to 5' },
      { role: 'dtmf', digit: '4' },
      { role: 'node_transition', former_node_id: 'a', new_node_id: 'b' },
      { role: 'transfer_target', content: 'Doctor on duty.', words: [] },
    ];
    expect(read('retell', endAt.retell({ transcript_object }))).toEqual(spoken.slice(0, 2));
    expect(read('retell', endAt.retell({ transcript_object, transcript_with_tool_calls }))).toEqual([
      ...spoken.slice(0, 2),
      { role: 'tool', text: 'get_hours: 9 to 5' },
      { role: 'system', text: 'transfer_target: Doctor on duty.' },
    ]);
  });

  it('those of ElevenLabs are read with the tools of a turn', () => {
    const transcript = [
      { role: 'agent', message: 'Hello, how can I help?', time_in_call_secs: 0.5 },
      { role: 'user', message: 'When do you open?', time_in_call_secs: 3 },
      {
        ...{ role: 'agent', message: null, time_in_call_secs: 4 },
        tool_calls: [{ request_id: 't1', tool_name: 'get_hours', params_as_json: '{}' }],
        tool_results: [{ request_id: 't1', tool_name: 'get_hours', result_value: '9 to 5' }],
      },
      { role: 'agent', message: 'At nine.', time_in_call_secs: 6.25 },
      { role: 'agent', message: null, time_in_call_secs: 7, tool_calls: [{ request_id: 't2', tool_name: 'end_call' }] },
    ];
    const turns = [...spoken, { role: 'tool', text: 'end_call', at: 7 }];
    expect(read('elevenlabs', endAt.elevenlabs({ transcript }))).toEqual(turns);
  });

  it.each([
    ['vapi', 'AI: Hello.\nAre you there?\nUser: Yes: I am.\n'],
    ['retell', 'Agent: Hello.\r\nAre you there?\r\nUser: Yes: I am.'],
  ] as const)('those of %s are read from one text by its lines', (platform, transcript) => {
    expect(read(platform, endAt[platform]({ transcript }))).toEqual([
      { role: 'agent', text: 'Hello.\nAre you there?' },
      { role: 'caller', text: 'Yes: I am.' },
    ]);
  });

  it.each([
    ['vapi', endAt.vapi({ messages: [], transcript: '' })],
    ['vapi', endAt.vapi({ messages: [null, 4, { role: 'bot' }, { role: 'user', message: ' \n' }] })],
    ['retell', endAt.retell({ transcript_object: {}, transcript: 7 })],
    ['elevenlabs', endAt.elevenlabs({ transcript: null })],
    ['twilio', { CallSid: 'CA1', CallStatus: 'completed', From: '+14155550100' }],
  ] as [PlatformName, Record<string, unknown>][])('an end of %s without words has no transcript', (platform, body) =>
    expect(read(platform, body)).toBeUndefined(),
  );

  it('a tool’s result is cut, and a time that is none is left out', () => {
    const result = '😀'.repeat(2001);
    const messages = [
      { role: 'tool_call_result', name: 'a', result, secondsFromStart: -1 },
      { role: 'constructor', message: 'Who?', secondsFromStart: 1e12 },
    ];
    const [tool, unknown] = read('vapi', endAt.vapi({ messages })) ?? [];
    expect([...(tool?.text ?? '')]).toHaveLength(2000);
    expect([tool?.at, unknown]).toEqual([undefined, { role: 'system', text: 'constructor: Who?' }]);
  });
});
