/** The ids in the examples of the OpenAPI document. The reference page of a local run replaces them by those of the demo data. */
export const examples = {
  uid: 'demo-user',
  agentId: 'agent_01KB3M5T3Q8RXN2M6J4HB7C0DE',
  callId: 'demo-call-2',
  documentId: 'doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0',
  websiteId: 'web_01KB3P8V4N6T0R2X5Z7B9D1F3H',
  phone: '+14155550100',
  clientUid: 'demo-client',
  keyId: 'key_01KB3N0W7C5M9Y2D4S6V8X1Z3T',
  customerId: 'cus_LocalSeveral',
} as const;
