/** A request of the right form for one operation, without the user and the agent it is for. */
export type Sample = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
};

/** One request of the right form for every operation: the tests that run over all of them need it. */
export const samples: Record<string, Sample> = {
  addBlockedNumbers: { body: { numbers: ['+14155550100'] } },
  removeBlockedNumbers: { body: { numbers: ['+14155550100'] } },
  listBlockedNumbers: {},
  checkBlockedNumber: { query: { number: '+14155550100' } },
  duplicateAgent: { body: {} },
  listAgents: {},
  createAgent: { body: { name: 'Agent' } },
  getAgent: {},
  updateAgent: { body: { name: 'Renamed' } },
  recordCall: {
    params: { callIdOrPhone: 'call-1' },
    body: { phone: '+14155550100', direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' },
  },
  getCall: { params: { callIdOrPhone: 'call-1' } },
  listCalls: {},
  updateCallOutcome: { params: { callIdOrPhone: 'call-1' }, body: { custom_call_outcome: 'booked' } },
  updateCallOutcomes: { body: { items: [{ agentId: 'agent', callIdOrPhone: 'call-1' }] } },
};
