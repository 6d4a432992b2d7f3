import { isJsonObject } from '../../domain/json.ts';
import { readNumber, readText } from '../../hooks/platforms/platform.ts';
import { type CallList, listObjects, readEach } from './list.ts';

const overStatuses = new Set(['done', 'failed']);
const path = '/v1/convai/conversations';

/**
 * ElevenLabs' list of conversations. It has neither numbers nor costs, which each conversation has.
 * https://elevenlabs.io/docs/api-reference/conversations/list
 */
export const elevenlabs: CallList = {
  headers: (apiKey) => ({ 'xi-api-key': apiKey }),

  open(requests, { from, to, assistantIds }) {
    const range = {
      call_start_after_unix: Math.floor(from / 1000) - 1,
      call_start_before_unix: Math.ceil(to / 1000) + 1,
    };
    const agents = assistantIds.length > 0 ? assistantIds : [undefined];
    return readEach(agents, async (agent_id, { cursor } = {}) => {
      const page = await requests.send(path, { query: { agent_id, ...range, page_size: 100, cursor } });
      const { conversations, has_more, next_cursor } = isJsonObject(page) ? page : {};
      const calls = listObjects(conversations).map((summary) => {
        const id = readText(summary, 'conversation_id') ?? '';
        const { status, start_time_unix_secs, call_duration_secs } = summary;
        const seconds = readNumber(summary, 'start_time_unix_secs');
        return {
          id,
          startedAt: seconds && seconds * 1000,
          isOver: overStatuses.has(readText(summary, 'status') ?? ''),
          event: toEvent({ conversation_id: id, status, metadata: { start_time_unix_secs, call_duration_secs } }),
          async complete() {
            const whole = await requests.find(`${path}/${encodeURIComponent(id)}`);
            return whole && toEvent(whole);
          },
        };
      });
      const next = has_more === true && typeof next_cursor === 'string' ? { cursor: next_cursor } : undefined;
      return { calls, next };
    });
  },
};

const toEvent = (data: Record<string, unknown>) => ({ type: 'post_call_transcription', data });
