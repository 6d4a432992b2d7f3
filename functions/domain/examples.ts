/** The ids in the examples of the OpenAPI document. The reference page of a local run replaces them by those of the demo data. */
export const examples = {
  uid: 'demo-user',
  agentId: 'agent_01KB3M5T3Q8RXN2M6J4HB7C0DE',
  callId: 'demo-call-2',
  phone: '+14155550100',
  customerId: 'cus_LocalSeveral',
} as const;
