package ipc

// Usage is the verb's line with all that may follow it.
func (v Verb) Usage() string {
	switch v {
	case VerbHello:
		return "HELLO [version=1] [owner=TEXT] [events=none|lost]"
	case VerbLock:
		return "LOCK NAME... [wait=DURATION] [ttl=DURATION] [owner=TEXT]"
	case VerbUnlock:
		return "UNLOCK NAME... [fence=NUMBER]"
	case VerbCheck:
		return "CHECK NAME [verify]"
	case VerbWho:
		return "WHO NAME"
	case VerbList:
		return "LIST [GLOB] [scope=session|host|cluster]"
	case VerbHelp:
		return "HELP [VERB]"
	case VerbAcceptRestore:
		return "ACCEPT-RESTORE [raise] [lower-fences=NUMBER]"
	}
	return v.String()
}

// Help is what the verb does, in lines for people.
func (v Verb) Help() []string {
	switch v {
	case VerbHello:
		return []string{
			"Says who is at either end. No other request needs it.",
			"owner= is shown by WHO for locks that do not say their own.",
		}
	case VerbLock:
		return []string{
			"Takes the names, all or none, and waits for its turn. fence= of the reply is the fencing token.",
			"wait=0 tries, wait=5s gives up after five seconds; without it the wait has no end but CANCEL.",
			"The locks end with the connection. When one is lost, the daemon closes the connection.",
			"In a name write a blank as %20, = as %3D and % as %25.",
		}
	case VerbUnlock:
		return []string{
			"Releases names that this session holds, and answers when that is committed.",
			"With fence= only the lock that was granted with it.",
		}
	case VerbCheck:
		return []string{
			"Tells how long the lock is safe if etcd is never heard of again.",
			"verify also asks etcd whether the entry is still there.",
		}
	case VerbWho:
		return []string{"Lists the queue of a name, the holder first, of every host."}
	case VerbList:
		return []string{
			"Lists locks: those of this session, of every session of this daemon, or of every host.",
			"In the glob * stands for any characters, ? for one, and \\ takes their meaning away.",
		}
	case VerbStatus:
		return []string{"Tells how the daemon, its store and its leases are. It always answers."}
	case VerbPing:
		return []string{"Answers OK, once everything before it is answered."}
	case VerbHelp:
		return []string{"Lists the requests, or says more about one."}
	case VerbQuit:
		return []string{"Releases everything, answers OK and ends the session."}
	case VerbCancel:
		return []string{"Ends the wait of every LOCK before it; these are answered first."}
	case VerbAcceptRestore:
		return []string{
			"Goes on from etcd as it is, after its revisions went back. For root and the daemon's own user.",
			"raise writes to etcd until no fence can repeat. With lower-fences= fences may: it is the highest",
			"revision before, and every resource must have forgotten the fences that it has seen.",
		}
	}
	return nil
}

// AppendHelp writes the whole reply to HELP. The topic is [Request.Topic].
func AppendHelp(dst []byte, topic string) []byte {
	for _, verb := range Verbs() {
		if topic != "" && topic != verb.String() {
			continue
		}
		dst = appendHelpLine(dst, verb.Usage())
		if topic == "" {
			continue
		}
		for _, line := range verb.Help() {
			dst = appendHelpLine(dst, line)
		}
	}
	return AppendEnd(AppendOK(dst))
}

func appendHelpLine(dst []byte, text string) []byte {
	return AppendEnd(AppendText(AppendData(dst), text))
}
