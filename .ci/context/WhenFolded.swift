// from Roster
