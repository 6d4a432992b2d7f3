import { isJsonObject } from '../../domain/json.ts';
import { readNumber, readText } from '../../hooks/platforms/platform.ts';
import { type CallList, listObjects } from './list.ts';

const overStatuses = new Set(['ended', 'error', 'not_connected']);

/**
 * Retell's list of calls. It has no transcript and no recording, which each call has.
 * https://docs.retellai.com/api-references/list-calls
 */
export const retell: CallList = {
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),

  open(requests, { from, to, assistantIds }) {
    const filter_criteria = {
      ...(assistantIds.length > 0 && { agent: assistantIds.map((agent_id) => ({ agent_id })) }),
      start_timestamp: { type: 'range', op: 'bt', value: [from, to - 1] },
    };
    return async ({ key } = {}) => {
      const body = { filter_criteria, limit: 1000, sort_order: 'descending', pagination_key: key };
      const page = await requests.send('/v3/list-calls', { body });
      const { items, has_more, pagination_key } = isJsonObject(page) ? page : {};
      const calls = listObjects(items).map((call) => {
        const id = readText(call, 'call_id') ?? '';
        return {
          id,
          startedAt: readNumber(call, 'start_timestamp') ?? readNumber(call, 'end_timestamp'),
          isOver: overStatuses.has(readText(call, 'call_status') ?? ''),
          own: readText(call, readText(call, 'direction') === 'outbound' ? 'from_number' : 'to_number'),
          event: toEvent(call),
          async complete() {
            const whole = await requests.find(`/v2/get-call/${encodeURIComponent(id)}`);
            return whole && toEvent(whole);
          },
        };
      });
      const next = has_more === true && typeof pagination_key === 'string' ? { key: pagination_key } : undefined;
      return { calls, next };
    };
  },
};

const toEvent = (call: Record<string, unknown>) => ({ event: 'call_analyzed', call });
