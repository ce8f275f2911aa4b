// from OrderStage
