// Generated from the route table by `npm run openapi`.
import type { Operation } from './request.ts';

export const operations: Record<string, Record<string, Operation>> = {
  blockList: {
    add: {"method":"POST","path":"/agent-block-list","body":"json","takesUid":true},
    remove: {"method":"DELETE","path":"/agent-block-list","body":"json","takesUid":true},
    list: {"method":"GET","path":"/agent-block-list","query":["uid","agentId","limit","cursor"],"takesUid":true,"items":"entries"},
    check: {"method":"GET","path":"/agent-block-list/check","query":["uid","agentId","number"],"takesUid":true},
    checkMany: {"method":"POST","path":"/agent-block-list/check","body":"json","takesUid":true},
    createImport: {"method":"POST","path":"/block-list-imports","body":"json","takesUid":true},
    listImports: {"method":"GET","path":"/block-list-imports","query":["uid","limit","cursor"],"takesUid":true,"items":"imports"},
    getImport: {"method":"GET","path":"/block-list-imports/{importId}","query":["uid"],"takesUid":true},
  },
  userBlockList: {
    add: {"method":"POST","path":"/block-list","body":"json","takesUid":true},
    remove: {"method":"DELETE","path":"/block-list","body":"json","takesUid":true},
    list: {"method":"GET","path":"/block-list","query":["uid","limit","cursor"],"takesUid":true,"items":"entries"},
    check: {"method":"GET","path":"/block-list/check","query":["uid","number"],"takesUid":true},
  },
  consents: {
    record: {"method":"POST","path":"/consents","body":"json","takesUid":true},
    list: {"method":"GET","path":"/consents","query":["uid","number","purpose","limit","cursor"],"takesUid":true,"items":"consents"},
    check: {"method":"GET","path":"/consents/check","query":["uid","number","purpose","at"],"takesUid":true},
  },
  agents: {
    duplicate: {"method":"POST","path":"/duplicate-agent","body":"json","takesUid":true},
    list: {"method":"GET","path":"/agents","query":["uid","phoneNumber","key","limit","cursor"],"takesUid":true,"items":"agents"},
    create: {"method":"POST","path":"/agents","body":"json","takesUid":true},
    get: {"method":"GET","path":"/agents/{agentId}"},
    update: {"method":"PATCH","path":"/agents/{agentId}","body":"json"},
    delete: {"method":"DELETE","path":"/agents/{agentId}"},
    listVersions: {"method":"GET","path":"/agents/{agentId}/versions","query":["uid","limit","cursor"],"takesUid":true,"items":"versions"},
    getVersion: {"method":"GET","path":"/agents/{agentId}/versions/{version}","query":["uid","against"],"takesUid":true},
    restore: {"method":"POST","path":"/agents/{agentId}/restore","body":"json","takesUid":true},
    setTraffic: {"method":"PUT","path":"/agents/{agentId}/traffic","body":"json","takesUid":true},
    listAccess: {"method":"GET","path":"/agents/{agentId}/access","query":["uid"],"takesUid":true},
    grantAccess: {"method":"PUT","path":"/agents/{agentId}/access/{guestUid}","body":"json","takesUid":true},
    endAccess: {"method":"DELETE","path":"/agents/{agentId}/access/{guestUid}","query":["uid"],"takesUid":true},
  },
  documents: {
    list: {"method":"GET","path":"/agent-documents","query":["uid","agentId","content","limit","cursor"],"takesUid":true,"items":"documents"},
    upload: {"method":"POST","path":"/agent-documents","body":"form","takesUid":true},
    update: {"method":"PATCH","path":"/agent-documents","body":"json","takesUid":true},
    delete: {"method":"DELETE","path":"/agent-documents","query":["uid","agentId","documentId"],"takesUid":true},
    getContent: {"method":"GET","path":"/agent-documents/content","query":["uid","agentId","documentId","cursor"],"takesUid":true,"items":""},
    addText: {"method":"POST","path":"/agent-documents/text","body":"json","takesUid":true},
    createUploads: {"method":"POST","path":"/agent-documents/uploads","body":"json","takesUid":true},
    retry: {"method":"POST","path":"/agent-documents/retry","body":"json","takesUid":true},
  },
  knowledge: {
    search: {"method":"POST","path":"/agent-knowledge/search","body":"json","takesUid":true},
  },
  websites: {
    list: {"method":"GET","path":"/agent-websites","query":["uid","agentId","content","limit","cursor"],"takesUid":true,"items":"websites"},
    add: {"method":"POST","path":"/agent-websites","body":"json","takesUid":true},
    update: {"method":"PATCH","path":"/agent-websites","body":"json","takesUid":true},
    delete: {"method":"DELETE","path":"/agent-websites","query":["uid","agentId","websiteId"],"takesUid":true},
    getContent: {"method":"GET","path":"/agent-websites/content","query":["uid","agentId","websiteId","cursor"],"takesUid":true,"items":""},
    refresh: {"method":"POST","path":"/agent-websites/refresh","body":"json","takesUid":true},
  },
  calls: {
    record: {"method":"PUT","path":"/calls/{agentId}/{callIdOrPhone}","body":"json"},
    delete: {"method":"DELETE","path":"/calls/{agentId}/{callIdOrPhone}"},
    get: {"method":"GET","path":"/calls/{agentId}/{callIdOrPhone}","query":["preference"]},
    updateOutcome: {"method":"PATCH","path":"/calls/{agentId}/{callIdOrPhone}","query":["preference","metadataMode"],"body":"json"},
    recordMany: {"method":"POST","path":"/calls","body":"json"},
    listAll: {"method":"GET","path":"/calls","query":["uid","phone","from","to","direction","status","outcome","hasOutcome","held","limit","cursor"],"takesUid":true,"items":"calls"},
    list: {"method":"GET","path":"/calls/{agentId}","query":["phone","from","to","direction","status","outcome","hasOutcome","held","limit","cursor"],"items":"calls"},
    getFigures: {"method":"GET","path":"/call-figures","query":["uid","agentId","from","to","timeZone","by","direction","status","outcome","version","format"],"takesUid":true},
    updateOutcomes: {"method":"POST","path":"/call-outcomes","body":"json"},
  },
  callStarts: {
    decide: {"method":"POST","path":"/call-starts","body":"json","takesUid":true},
  },
  callStartChecks: {
    check: {"method":"POST","path":"/call-start-checks","body":"json","takesUid":true},
  },
  hookSecrets: {
    set: {"method":"PUT","path":"/hook-secrets/{platform}","body":"json","takesUid":true},
    delete: {"method":"DELETE","path":"/hook-secrets/{platform}","query":["uid"],"takesUid":true},
    list: {"method":"GET","path":"/hook-secrets","query":["uid","limit","cursor"],"takesUid":true,"items":""},
  },
  platformKeys: {
    set: {"method":"PUT","path":"/platform-keys/{platform}","body":"json","takesUid":true},
    delete: {"method":"DELETE","path":"/platform-keys/{platform}","query":["uid"],"takesUid":true},
    list: {"method":"GET","path":"/platform-keys","query":["uid","limit","cursor"],"takesUid":true,"items":""},
  },
  reconciliations: {
    create: {"method":"POST","path":"/agents/{agentId}/reconciliations","body":"json","takesUid":true},
    list: {"method":"GET","path":"/agents/{agentId}/reconciliations","query":["uid","limit","cursor"],"takesUid":true,"items":"reconciliations"},
    get: {"method":"GET","path":"/agents/{agentId}/reconciliations/{reconciliationId}","query":["uid"],"takesUid":true},
  },
  erasures: {
    create: {"method":"POST","path":"/erasures","body":"json","takesUid":true},
    get: {"method":"GET","path":"/erasures/{erasureId}","query":["uid"],"takesUid":true},
  },
  webhooks: {
    createEndpoint: {"method":"POST","path":"/webhook-endpoints","body":"json","takesUid":true},
    listEndpoints: {"method":"GET","path":"/webhook-endpoints","query":["uid","limit","cursor"],"takesUid":true,"items":"endpoints"},
    getEndpoint: {"method":"GET","path":"/webhook-endpoints/{endpointId}","query":["uid"],"takesUid":true},
    updateEndpoint: {"method":"PATCH","path":"/webhook-endpoints/{endpointId}","body":"json","takesUid":true},
    deleteEndpoint: {"method":"DELETE","path":"/webhook-endpoints/{endpointId}","query":["uid"],"takesUid":true},
    rotateSecret: {"method":"POST","path":"/webhook-endpoints/{endpointId}/rotate-secret","body":"json","takesUid":true},
    testEndpoint: {"method":"POST","path":"/webhook-endpoints/{endpointId}/test","body":"json","takesUid":true},
    listDeliveries: {"method":"GET","path":"/webhook-deliveries","query":["uid","endpointId","status","limit","cursor"],"takesUid":true,"items":"deliveries"},
    redeliver: {"method":"POST","path":"/webhook-deliveries/redeliver","body":"json","takesUid":true},
  },
  users: {
    create: {"method":"POST","path":"/users","body":"json"},
    list: {"method":"GET","path":"/users","query":["limit","cursor"],"items":"users"},
    get: {"method":"GET","path":"/users/{uid}"},
    update: {"method":"PATCH","path":"/users/{uid}","body":"json"},
    delete: {"method":"DELETE","path":"/users/{uid}","query":["confirm"]},
    getFigures: {"method":"GET","path":"/user-figures","query":["from","to","timeZone","limit","cursor"],"items":"users"},
  },
  changes: {
    list: {"method":"GET","path":"/changes","query":["uid","agentId","kind","keyId","from","to","limit","cursor"],"takesUid":true,"items":"changes"},
  },
  keys: {
    create: {"method":"POST","path":"/keys","body":"json","takesUid":true},
    list: {"method":"GET","path":"/keys","query":["uid","limit","cursor"],"takesUid":true,"items":"keys"},
    rotate: {"method":"POST","path":"/keys/{keyId}/rotate","body":"json","takesUid":true},
    revoke: {"method":"DELETE","path":"/keys/{keyId}","query":["uid"],"takesUid":true},
  },
  invoices: {
    get: {"method":"POST","path":"/get-invoices","body":"json"},
  },
  key: {
    get: {"method":"GET","path":"/key"},
  },
  chat: {
    build: {"method":"POST","path":"/chat/build","body":"json","stream":true},
  },
  openapi: {
    getDocument: {"method":"GET","path":"/openapi.json"},
  },
};
