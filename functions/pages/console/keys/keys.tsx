import { useService } from '../service.tsx';
import { KeyList } from './key-list.tsx';

/** The view Keys: the API keys of the user. */
const Keys = () => <KeyList uid={useService().uid} isView />;

export default Keys;
