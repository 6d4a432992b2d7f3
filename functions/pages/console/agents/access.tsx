import type { ListAgentAccessResponse } from '../../../openapi/client/client.ts';
import { TextField } from '../components/fields.tsx';
import { ChangeButton, Form, type Texts } from '../components/form.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Empty, Loaded } from '../components/parts.tsx';
import { useChange, useRead } from '../service.tsx';

type Guest = ListAgentAccessResponse['access'][number] & { agentId: string };

/** The guests of an agent: the users with whom its owner shares it. */
export const Access = ({ agentId }: { agentId: string }) => {
  const guests = useRead(['access', agentId], (api, options) => api.agents.listAccess({ agentId }, options));
  const sharing = useChange(
    (api, options, { guestUid = '' }: Texts) => api.agents.grantAccess({ agentId, guestUid }, options),
    {
      changes: [['access', agentId]],
      done: ({ uid }) => `${uid} may use the agent.`,
    },
  );
  return (
    <>
      <Form key={sharing.data?.uid} change={sharing} submit="Share the agent" pending="Sharing …">
        <TextField
          label="User ID of the guest"
          name="guestUid"
          note="You or your maker created the user, or the user created you."
          autoComplete="off"
          spellCheck="false"
          required
        />
      </Form>
      <Loaded query={guests}>
        {({ access }) => (
          <Table
            caption="Guests"
            items={access.map((guest) => ({ agentId, ...guest }))}
            keyOf={({ uid }) => uid}
            columns={columns}
            empty={
              <Empty title="This agent is shared with nobody">
                A guest uses the agent as you do, but can neither delete it nor share it.
              </Empty>
            }
          />
        )}
      </Loaded>
    </>
  );
};

const EndAccess = ({ agentId, uid }: Guest) => {
  const end = useChange((api) => api.agents.endAccess({ agentId, guestUid: uid }), {
    changes: [['access', agentId]],
    done: () => `${uid} may no longer use the agent.`,
  });
  return (
    <ChangeButton change={end} className="quiet small" label={`End access of ${uid}`}>
      End access
    </ChangeButton>
  );
};

const columns: Column<Guest>[] = [
  { heading: 'User ID', cell: ({ uid }) => <code>{uid}</code> },
  { heading: 'Name', isLong: true, cell: ({ name }) => name && <bdi>{name}</bdi> },
  { heading: 'Change', isHidden: true, cell: (guest) => <EndAccess {...guest} /> },
];
