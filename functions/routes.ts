import { addBlockedNumbers } from './api/add-blocked-numbers.ts';
import { addDocumentText } from './api/add-document-text.ts';
import { addUserBlockedNumbers } from './api/add-user-blocked-numbers.ts';
import { addWebsite } from './api/add-website.ts';
import { authorizeClient } from './api/authorize-client.ts';
import { buildChat } from './api/build-chat.ts';
import { checkBlockedNumber } from './api/check-blocked-number.ts';
import { checkBlockedNumbers } from './api/check-blocked-numbers.ts';
import { checkCallStarts } from './api/check-call-starts.ts';
import { checkConsent } from './api/check-consent.ts';
import { checkUserBlockedNumber } from './api/check-user-blocked-number.ts';
import { createAgent } from './api/create-agent.ts';
import { createBlockListImport } from './api/create-block-list-import.ts';
import { createCallExport } from './api/create-call-export.ts';
import { createDocumentUploads } from './api/create-document-uploads.ts';
import { createErasure } from './api/create-erasure.ts';
import { createKey } from './api/create-key.ts';
import { createPersonExport } from './api/create-person-export.ts';
import { createReconciliation } from './api/create-reconciliation.ts';
import { createUser } from './api/create-user.ts';
import { createWebhookEndpoint } from './api/create-webhook-endpoint.ts';
import { decideCallStart } from './api/decide-call-start.ts';
import { deleteAgent } from './api/delete-agent.ts';
import { deleteCall } from './api/delete-call.ts';
import { deleteCallTranscript } from './api/delete-call-transcript.ts';
import { deleteDocument } from './api/delete-document.ts';
import { deleteHookSecret } from './api/delete-hook-secret.ts';
import { deletePlatformKey } from './api/delete-platform-key.ts';
import { deleteUser } from './api/delete-user.ts';
import { deleteWebhookEndpoint } from './api/delete-webhook-endpoint.ts';
import { deleteWebsite } from './api/delete-website.ts';
import { duplicateAgent } from './api/duplicate-agent.ts';
import { endAgentAccess } from './api/end-agent-access.ts';
import { getAgent } from './api/get-agent.ts';
import { getAgentVersion } from './api/get-agent-version.ts';
import { getAuthorizationServer } from './api/get-authorization-server.ts';
import { getBlockListImport } from './api/get-block-list-import.ts';
import { getBlockListRules } from './api/get-block-list-rules.ts';
import { getCall } from './api/get-call.ts';
import { getCallExport } from './api/get-call-export.ts';
import { getCallFigures } from './api/get-call-figures.ts';
import { getCallTranscript } from './api/get-call-transcript.ts';
import { getDocumentContent } from './api/get-document-content.ts';
import { getErasure } from './api/get-erasure.ts';
import { getInvoices } from './api/get-invoices.ts';
import { getKey } from './api/get-key.ts';
import { getOpenapiDocument } from './api/get-openapi-document.ts';
import { getPersonExport } from './api/get-person-export.ts';
import { getProtectedResource } from './api/get-protected-resource.ts';
import { getReconciliation } from './api/get-reconciliation.ts';
import { getUser } from './api/get-user.ts';
import { getUserFigures } from './api/get-user-figures.ts';
import { getWebhookEndpoint } from './api/get-webhook-endpoint.ts';
import { getWebsiteContent } from './api/get-website-content.ts';
import { grantAgentAccess } from './api/grant-agent-access.ts';
import { issueToken } from './api/issue-token.ts';
import { listAgentAccess } from './api/list-agent-access.ts';
import { listAgentVersions } from './api/list-agent-versions.ts';
import { listAgents } from './api/list-agents.ts';
import { listAllCalls } from './api/list-all-calls.ts';
import { listBlockListImports } from './api/list-block-list-imports.ts';
import { listBlockedNumbers } from './api/list-blocked-numbers.ts';
import { listCalls } from './api/list-calls.ts';
import { listChanges } from './api/list-changes.ts';
import { listConsents } from './api/list-consents.ts';
import { listDocuments } from './api/list-documents.ts';
import { listHookSecrets } from './api/list-hook-secrets.ts';
import { listKeys } from './api/list-keys.ts';
import { listPlatformKeys } from './api/list-platform-keys.ts';
import { listReconciliations } from './api/list-reconciliations.ts';
import { listUserBlockedNumbers } from './api/list-user-blocked-numbers.ts';
import { listUsers } from './api/list-users.ts';
import { listWebhookDeliveries } from './api/list-webhook-deliveries.ts';
import { listWebhookEndpoints } from './api/list-webhook-endpoints.ts';
import { listWebsites } from './api/list-websites.ts';
import { receiveHook } from './api/receive-hook.ts';
import { recordCall } from './api/record-call.ts';
import { recordCalls } from './api/record-calls.ts';
import { recordConsents } from './api/record-consents.ts';
import { redeliverWebhook } from './api/redeliver-webhook.ts';
import { refreshWebsite } from './api/refresh-website.ts';
import { registerClient } from './api/register-client.ts';
import { removeBlockedNumbers } from './api/remove-blocked-numbers.ts';
import { removeUserBlockedNumbers } from './api/remove-user-blocked-numbers.ts';
import { restoreAgent } from './api/restore-agent.ts';
import { retryDocument } from './api/retry-document.ts';
import { revokeKey } from './api/revoke-key.ts';
import { revokeToken } from './api/revoke-token.ts';
import { rotateKey } from './api/rotate-key.ts';
import { rotateWebhookSecret } from './api/rotate-webhook-secret.ts';
import { searchKnowledge } from './api/search-knowledge.ts';
import { serveMcp } from './api/serve-mcp.ts';
import { setAgentTraffic } from './api/set-agent-traffic.ts';
import { setBlockListRules } from './api/set-block-list-rules.ts';
import { setHookSecret } from './api/set-hook-secret.ts';
import { setPlatformKey } from './api/set-platform-key.ts';
import { showAuthorization } from './api/show-authorization.ts';
import { testWebhookEndpoint } from './api/test-webhook-endpoint.ts';
import { updateAgent } from './api/update-agent.ts';
import { updateCallOutcome } from './api/update-call-outcome.ts';
import { updateCallOutcomes } from './api/update-call-outcomes.ts';
import { updateDocument } from './api/update-document.ts';
import { updateKey } from './api/update-key.ts';
import { updateUser } from './api/update-user.ts';
import { updateWebhookEndpoint } from './api/update-webhook-endpoint.ts';
import { updateWebsite } from './api/update-website.ts';
import { uploadDocuments } from './api/upload-documents.ts';
import type { AnyEndpoint } from './http/endpoint.ts';

/** The whole HTTP interface: one array, read by the stacks, the local gateway, the documents and the tests. */
export const routes: AnyEndpoint[] = [
  addBlockedNumbers,
  removeBlockedNumbers,
  listBlockedNumbers,
  checkBlockedNumber,
  checkBlockedNumbers,
  addUserBlockedNumbers,
  removeUserBlockedNumbers,
  listUserBlockedNumbers,
  checkUserBlockedNumber,
  getBlockListRules,
  setBlockListRules,
  createBlockListImport,
  listBlockListImports,
  getBlockListImport,
  recordConsents,
  listConsents,
  checkConsent,
  duplicateAgent,
  listAgents,
  createAgent,
  getAgent,
  updateAgent,
  deleteAgent,
  listAgentVersions,
  getAgentVersion,
  restoreAgent,
  setAgentTraffic,
  listAgentAccess,
  grantAgentAccess,
  endAgentAccess,
  listDocuments,
  getDocumentContent,
  uploadDocuments,
  addDocumentText,
  createDocumentUploads,
  updateDocument,
  retryDocument,
  deleteDocument,
  searchKnowledge,
  listWebsites,
  addWebsite,
  getWebsiteContent,
  updateWebsite,
  refreshWebsite,
  deleteWebsite,
  recordCall,
  recordCalls,
  deleteCall,
  getCallTranscript,
  deleteCallTranscript,
  getCall,
  listCalls,
  listAllCalls,
  getCallFigures,
  updateCallOutcome,
  updateCallOutcomes,
  decideCallStart,
  checkCallStarts,
  receiveHook,
  setHookSecret,
  listHookSecrets,
  deleteHookSecret,
  setPlatformKey,
  listPlatformKeys,
  deletePlatformKey,
  createCallExport,
  getCallExport,
  createReconciliation,
  listReconciliations,
  getReconciliation,
  createErasure,
  getErasure,
  createPersonExport,
  getPersonExport,
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  listWebhookDeliveries,
  redeliverWebhook,
  createUser,
  listUsers,
  getUser,
  updateUser,
  deleteUser,
  getUserFigures,
  listChanges,
  createKey,
  listKeys,
  updateKey,
  rotateKey,
  revokeKey,
  getInvoices,
  getKey,
  serveMcp,
  getProtectedResource,
  getAuthorizationServer,
  showAuthorization,
  authorizeClient,
  issueToken,
  revokeToken,
  registerClient,
  buildChat,
  getOpenapiDocument,
];
