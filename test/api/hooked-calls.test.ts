import { describe, expect, it } from 'vitest';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { upload } from '../support/knowledge.ts';
import { type Sent, send, starts } from '../support/voice-platforms.ts';
import { listening } from '../support/webhook-events.ts';
import { call, type World } from '../support/world.ts';

const phones = { other: '+14155550100', own: '+14155550123' };
const found = { custom_call_outcome: 'booked', custom_call_outcome_value: 149.5 };

type Body = Record<string, unknown>;
/** The events that a platform sends during a call, and the places of greeting and passages in the responses. */
type Script = {
  greetingIn(body: Body): unknown;
  search: Body;
  passagesIn(body: Body): string;
  end: Body;
  callId: string;
};

const scripts: Record<string, Script> = {
  vapi: {
    greetingIn: ({ assistantOverrides }) => (assistantOverrides as Body).firstMessage,
    search: {
      message: {
        type: 'tool-calls',
        call: { id: 'v1' },
        toolCallList: [
          { id: 'c1', type: 'function', function: { name: 'search_knowledge', arguments: '{"query":"cleaning"}' } },
        ],
      },
    },
    passagesIn: ({ results }) => (results as { result: string }[])[0]?.result ?? '',
    end: {
      message: {
        type: 'end-of-call-report',
        call: { id: 'v1', type: 'inboundPhoneCall', customer: { number: phones.other } },
        phoneNumber: { number: phones.own },
        analysis: { summary: 'Booked.', structuredData: found },
      },
    },
    callId: 'vapi:v1',
  },
  retell: {
    greetingIn: ({ call_inbound }) =>
      (call_inbound as { agent_override: { retell_llm: Body } }).agent_override.retell_llm.begin_message,
    search: { name: 'search_knowledge', args: { query: 'cleaning' }, call: { call_id: 'r1' } },
    passagesIn: ({ result }) => String(result),
    end: {
      event: 'call_analyzed',
      call: {
        ...{ call_id: 'r1', from_number: phones.other, to_number: phones.own, call_status: 'ended' },
        call_analysis: { call_summary: 'Booked.', custom_analysis_data: found },
      },
    },
    callId: 'retell:r1',
  },
  elevenlabs: {
    greetingIn: ({ conversation_config_override }) =>
      (conversation_config_override as { agent: Body }).agent.first_message,
    search: { tool_name: 'search_knowledge', query: 'cleaning' },
    passagesIn: ({ result }) => String(result),
    end: {
      type: 'post_call_transcription',
      data: {
        conversation_id: 'c1',
        metadata: { phone_call: { external_number: phones.other, agent_number: phones.own } },
        analysis: {
          transcript_summary: 'Booked.',
          data_collection_results: Object.fromEntries(
            Object.entries(found).map(([id, value]) => [id, { data_collection_id: id, value, rationale: 'Said so.' }]),
          ),
        },
      },
    },
    callId: 'elevenlabs:c1',
  },
};

describe.each(Object.entries(scripts))('a call at %s', (platform, { greetingIn, search, passagesIn, end, callId }) => {
  it(`a call at ${platform} gets the greeting of its version, searches the knowledge, ends with an outcome, and makes webhook events`, async () => {
    const { until, ...world } = await listening({ events: ['call.*'], countsRequests: false });
    const { uid, agentId } = world;
    await upload(world as unknown as World, { 'Prices.md': '# Prices\n\nA cleaning costs 89 euros.' });
    const configure = async (greeting: string) =>
      (await world.call('PATCH', `/agents/${agentId}`, { body: { configuration: { greeting } } })).body.version;
    const version = await configure('Good morning!');
    await configure('Good evening!');
    await world.call('PUT', `/agents/${agentId}/traffic`, { body: { uid, split: [{ version, percent: 100 }] } });
    const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'platform', scopes: ['hooks', 'knowledge'] });
    const play = async (body: Body, query: Sent['query'] = {}) => {
      const response = await send({ uid, agentId, apiKey } as World, platform, { query, body });
      expect(response.status).toBe(200);
      return response.body;
    };

    const { query, body } = starts[platform] as Sent;
    expect(greetingIn(await play(body, { ...query, overrides: 'true' }))).toBe('Good morning!');
    expect(passagesIn(await play(search))).toContain('A cleaning costs 89 euros.');
    expect(await play(end)).toEqual({});

    const facts = { phone: phones.other, agentPhone: phones.own, direction: 'inbound' };
    const recorded = await call('GET', `/calls/${agentId}/${callId}`, { apiKey: world.apiKey });
    expect(recorded.body).toMatchObject({ ...facts, ...found, details: { summary: 'Booked.' } });
    const [event] = await until('call.outcome_updated');
    expect(event?.data).toMatchObject({ call_id: callId, agent_id: agentId, ...facts, ...found });
    expect((await until('call.recorded'))[0]?.data).toMatchObject({ call_id: callId, ...facts });
  });
});
